export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content?: string | null | { [name: string]: unknown }[];
  [name: string]: unknown;
}
export interface Names {
  user?: string;
  group?: string;
}
export interface CallOptions extends Names {
  body?: unknown;
  query?: Record<string, string | number | boolean>;
  signal?: AbortSignal;
}
export class WeftError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
}
export class Weft {
  constructor(options?: { url?: string; key?: string; timeout?: number; fetch?: typeof fetch });
  call(method: string, path: string, options?: CallOptions): Promise<any>;
  user(name: string): Scope;
  group(name: string, speaker?: string): Scope;
  health(): Promise<any>;
}
export class Scope {
  call(method: string, path: string, options?: CallOptions): Promise<any>;
  session(id?: string): Session;
  list(path: string, name: string, query?: Record<string, string | number | boolean>): AsyncGenerator<any, void, void>;
  search(query: string, more?: Record<string, unknown>): Promise<any[]>;
  profile(): Promise<any>;
  erase(what: Record<string, unknown>): Promise<any>;
}
export class Session {
  observe(...messages: (Message | Message[])[]): Promise<any>;
  context(input?: string, more?: Record<string, unknown>): Promise<any>;
  end(report?: Record<string, unknown>): Promise<any>;
  save(): Promise<any>;
  history(query?: Record<string, string | number | boolean>): Promise<Message[]>;
}
