#include "ports/templates/nodes.h"

#include <new>
#include <utility>
#include <vector>

#include "ports/templates/functions.h"
#include "ports/templates/jinja_value.h"
#include "ports/templates/meter.h"

namespace weft::templates {
namespace {

using jinja::statement_ptr;
using jinja::statements;
using jinja::value;

// Runs a node: counts it, and says of every failure where it was.
template <class Run>
value run_node(std::size_t at, const Run& run) {
  Meter& meter = Meter::current();
  try {
    const Meter::Inside inside(meter);
    meter.work(1);
    value result = run();
    if (jinja::is_val<jinja::value_string>(result)) meter.handle(result->val_str.length());
    return result;
  } catch (Fault& fault) {
    if (fault.at == Fault::kNowhere) fault.at = at;
    throw;
  } catch (const jinja::break_statement::signal&) {
    throw;
  } catch (const jinja::continue_statement::signal&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Fault{ErrorCode::kTooLarge, "it needs more memory than there is", at};
  } catch (const std::exception& failure) {
    throw Fault{ErrorCode::kInvalidArgument, failure.what(), at};
  }
}

// The engine's own node, counted.
template <class Node>
struct Counted : Node {
  explicit Counted(Node&& node) : Node(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(this->pos, [&] { return Node::execute_impl(context); });
  }
};

// One that builds a value, which is weighed.
template <class Node>
struct Weighed : Node {
  explicit Weighed(Node&& node) : Node(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(this->pos, [&] {
      value result = Node::execute_impl(context);
      weigh(result);
      return result;
    });
  }
};

value require(value result) {
  const auto* missing = jinja::cast_val<jinja::value_undefined>(result);
  if (missing == nullptr) return result;
  throw Fault{ErrorCode::kInvalidArgument,
              missing->hint.empty() ? "a value here is not defined" : "'" + missing->hint + "' is not defined"};
}

// A place where a value has to be defined.
struct Required : jinja::expression {
  statement_ptr inner;
  explicit Required(statement_ptr node) : inner(std::move(node)) { pos = inner->pos; }
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] { return require(inner->execute(context)); });
  }
};

// As the template's author wrote it: "state.hp".
std::string path_of(const jinja::statement* node) {
  if (const auto* name = dynamic_cast<const jinja::identifier*>(node)) return name->val;
  if (const auto* text = dynamic_cast<const jinja::string_literal*>(node)) return "\"" + text->val + "\"";
  if (const auto* whole = dynamic_cast<const jinja::integer_literal*>(node)) return std::to_string(whole->val);
  if (const auto* place = dynamic_cast<const Required*>(node)) return path_of(place->inner.get());
  const auto* member = dynamic_cast<const jinja::member_expression*>(node);
  if (member == nullptr) return "…";
  const std::string object = path_of(member->object.get()), property = path_of(member->property.get());
  return member->computed ? object + "[" + property + "]" : object + "." + property;
}

// What a loop goes over: its scopes are paid before the engine makes them.
struct Iterated : jinja::expression {
  statement_ptr inner;
  explicit Iterated(statement_ptr node) : inner(std::move(node)) { pos = inner->pos; }
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] {
      value items = require(inner->execute(context));
      Meter::current().enter_scopes(1 + items->val_arr.size() + items->val_obj.size());
      return items;
    });
  }
};

// Text between the tags.
struct Text : jinja::expression {
  std::string text;
  Text(std::string t, std::size_t at) : text(std::move(t)) { pos = at; }
  value execute_impl(jinja::context&) const override {
    return run_node(pos, [&] {
      Meter::current().write(text.size());
      return escaped_text(text);
    });
  }
};

// {{ … }}
struct Output : jinja::expression {
  statement_ptr inner;
  explicit Output(statement_ptr node) : inner(std::move(node)) { pos = inner->pos; }
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] {
      const value result = require(inner->execute(context));
      std::string text;
      if (jinja::is_val<jinja::value_string>(result)) {
        Meter::current().handle(result->val_str.length());
        text = as_markup(result);
      } else if (jinja::is_val<jinja::value_array>(result) || jinja::is_val<jinja::value_object>(result) ||
                 jinja::is_val<jinja::value_func>(result)) {
        throw Fault{ErrorCode::kInvalidArgument,
                    "'" + path_of(inner.get()) + "' is no text: write it with the filter `yaml` or `tojson`"};
      } else if (!result->is_none()) {
        text = result->as_string().str();
      }
      Meter::current().write(text.size());
      return escaped_text(std::move(text));
    });
  }
};

struct Name : jinja::identifier {
  explicit Name(jinja::identifier&& node) : identifier(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&]() -> value {
      if (value found = context.get_val(val); !found->is_undefined()) return found;
      if (value function = find_function(val)) return function;
      return jinja::mk_val<jinja::value_undefined>(val);
    });
  }
};

struct Member : jinja::member_expression {
  explicit Member(jinja::member_expression&& node) : member_expression(std::move(node)), path(path_of(this)) {}
  std::string path;
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&]() -> value {
      value found = member_expression::execute_impl(context);
      Meter::current().work(found->val_arr.size() / 64);
      if (found->is_undefined()) return jinja::mk_val<jinja::value_undefined>(path);
      return found;
    });
  }
};

std::vector<value> run_all(const statements& nodes, jinja::context& context) {
  std::vector<value> values;
  for (const statement_ptr& node : nodes) values.push_back(node->execute(context));
  return values;
}

struct Call : jinja::call_expression {
  explicit Call(jinja::call_expression&& node) : call_expression(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] {
      const value function = callee->execute(context);
      if (function->is_undefined())
        throw Fault{ErrorCode::kInvalidArgument, "there is no function '" + path_of(callee.get()) + "'"};
      return call_function(context, function, run_all(args, context));
    });
  }
};

// `value | name` and `value | name(…)`; in both trees the filter is an identifier or a call of one.
value run_filter(jinja::context& context, const statement_ptr& filter, value input) {
  const auto* call = dynamic_cast<const jinja::call_expression*>(filter.get());
  const auto* name = dynamic_cast<const jinja::identifier*>(call != nullptr ? call->callee.get() : filter.get());
  if (name == nullptr) throw Fault{ErrorCode::kInvalidArgument, "a filter must be a name"};
  if (!takes_undefined(name->val)) input = require(std::move(input));
  return apply_filter(context, name->val, input, call != nullptr ? run_all(call->args, context) : std::vector<value>());
}

struct Filter : jinja::filter_expression {
  explicit Filter(jinja::filter_expression&& node) : filter_expression(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] { return run_filter(context, filter, operand->execute(context)); });
  }
};

// What a list of statements writes; each part says whether it is markup.
value run_body(const statements& body, jinja::context& context) {
  auto text = jinja::mk_val<jinja::value_string>();
  for (const statement_ptr& node : body) {
    const value result = node->execute(context);
    if (jinja::is_val<jinja::value_string>(result)) text->val_str.append(result->val_str);
  }
  return text;
}

struct FilterBlock : jinja::filter_statement {
  explicit FilterBlock(jinja::filter_statement&& node) : filter_statement(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] { return run_filter(context, filter, run_body(body, context)); });
  }
};

struct Test : jinja::test_expression {
  explicit Test(jinja::test_expression&& node) : test_expression(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] {
      const auto* call = dynamic_cast<const jinja::call_expression*>(test.get());
      const auto* name = dynamic_cast<const jinja::identifier*>(call != nullptr ? call->callee.get() : test.get());
      if (name != nullptr && name->val == "divisibleby" && call != nullptr) {
        std::vector<value> arguments = run_all(call->args, context);
        arguments.insert(arguments.begin(), operand->execute(context));
        check_test(name->val, arguments);
      }
      return test_expression::execute_impl(context);
    });
  }
};

struct Binary : jinja::binary_expression {
  explicit Binary(jinja::binary_expression&& node) : binary_expression(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&] {
      // These two leave their right side alone where the left one decides.
      if (op.value == "and" || op.value == "or") return binary_expression::execute_impl(context);
      value a = left->execute(context), b = right->execute(context);
      Meter::current().work(a->val_arr.size() / 4 + b->val_arr.size() / 4);
      if (op.value == "*") check_repetition(a, b);
      const binary_expression ready(op, std::make_unique<Constant>(std::move(a)),
                                    std::make_unique<Constant>(std::move(b)));
      value result = ready.execute_impl(context);
      if (op.value == "+" || op.value == "~") weigh(result);
      return result;
    });
  }

 private:
  // "x" * 1000000000
  static void check_repetition(const value& a, const value& b) {
    const value& text = jinja::is_val<jinja::value_string>(a) ? a : b;
    const value& count = jinja::is_val<jinja::value_string>(a) ? b : a;
    if (!jinja::is_val<jinja::value_string>(text) || !jinja::is_val<jinja::value_int>(count)) return;
    const auto most = static_cast<std::int64_t>(Meter::current().max_output() / (text->val_str.length() + 1));
    if (count->as_int() > most) throw Fault{ErrorCode::kTooLarge, "text repeated so often is too long"};
  }
};

// `a if condition` without `else`: nothing where it does not hold.
struct Select : jinja::select_expression {
  explicit Select(jinja::select_expression&& node) : select_expression(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&]() -> value {
      if (test->execute(context)->as_bool()) return lhs->execute(context);
      return jinja::mk_val<jinja::value_string>("");
    });
  }
};

// {% set … %}: the engine's own would let an object contain itself.
struct Set : jinja::set_statement {
  explicit Set(jinja::set_statement&& node) : set_statement(std::move(node)) {}
  value execute_impl(jinja::context& context) const override {
    return run_node(pos, [&]() -> value {
      const value result = val ? val->execute(context) : run_body(body, context);
      if (const auto* name = dynamic_cast<const jinja::identifier*>(assignee.get())) {
        context.set_val(name->val, result);
      } else if (const auto* names = dynamic_cast<const jinja::tuple_literal*>(assignee.get())) {
        unpack(context, *names, require(result));
      } else {
        set_member(context, require(result));
      }
      return jinja::mk_val<jinja::value_undefined>();
    });
  }

 private:
  static void unpack(jinja::context& context, const jinja::tuple_literal& names, const value& list) {
    if (!jinja::is_val<jinja::value_array>(list) || list->val_arr.size() != names.val.size()) {
      throw Fault{ErrorCode::kInvalidArgument, "there are not as many values as names in `set`"};
    }
    for (std::size_t i = 0; i < names.val.size(); ++i) {
      const auto* name = dynamic_cast<const jinja::identifier*>(names.val[i].get());
      if (name == nullptr) throw Fault{ErrorCode::kInvalidArgument, "`set` needs names"};
      context.set_val(name->val, list->val_arr[i]);
    }
  }
  void set_member(jinja::context& context, const value& result) const {
    const auto* member = dynamic_cast<const jinja::member_expression*>(assignee.get());
    const auto* name = member != nullptr ? dynamic_cast<const jinja::identifier*>(member->property.get()) : nullptr;
    value object = name != nullptr && !member->computed ? require(member->object->execute(context)) : nullptr;
    if (object == nullptr || !jinja::is_val<jinja::value_object>(object)) {
      throw Fault{ErrorCode::kInvalidArgument, "`set` takes a name or a member of a namespace"};
    }
    weigh(result, object.get());
    object->insert(jinja::mk_val<jinja::value_string>(name->val), result);
  }
};

// Walks a tree and puts ours in the places of the engine's.
class Guard {
 public:
  std::set<std::string> names;

  void body(statements& nodes) {
    statements kept;
    for (statement_ptr& node : nodes) {
      if (dynamic_cast<jinja::comment_statement*>(node.get()) != nullptr) continue;
      kept.push_back(statement(std::move(node)));
    }
    nodes = std::move(kept);
  }

 private:
  template <class Ours, class Node>
  static statement_ptr replace(Node& node) {
    return std::make_unique<Ours>(std::move(node));
  }

  statement_ptr statement(statement_ptr node) {
    if (auto* text = dynamic_cast<jinja::string_literal*>(node.get()))
      return std::make_unique<Text>(text->val, text->pos);
    if (dynamic_cast<jinja::expression*>(node.get()) != nullptr) {
      return std::make_unique<Output>(expression(std::move(node)));
    }
    if (auto* branch = dynamic_cast<jinja::if_statement*>(node.get())) {
      required(branch->test);
      body(branch->body);
      body(branch->alternate);
      return replace<Counted<jinja::if_statement>>(*branch);
    }
    if (auto* loop = dynamic_cast<jinja::for_statement*>(node.get())) return guard_loop(*loop);
    if (auto* set = dynamic_cast<jinja::set_statement*>(node.get())) {
      // A name that is set is not run, but counts among the variables.
      assignee(set->assignee);
      if (set->val) set->val = expression(std::move(set->val));
      body(set->body);
      return replace<Set>(*set);
    }
    if (auto* macro = dynamic_cast<jinja::macro_statement*>(node.get())) {
      assignee(macro->name);
      parameters(macro->args);
      body(macro->body);
      return replace<Counted<jinja::macro_statement>>(*macro);
    }
    if (auto* call = dynamic_cast<jinja::call_statement*>(node.get())) {
      if (auto* inner = dynamic_cast<jinja::call_expression*>(call->call.get())) call_parts(*inner);
      parameters(call->caller_args);
      body(call->body);
      return replace<Counted<jinja::call_statement>>(*call);
    }
    if (auto* block = dynamic_cast<jinja::filter_statement*>(node.get())) {
      filter_arguments(block->filter);
      body(block->body);
      return replace<FilterBlock>(*block);
    }
    return node;
  }

  statement_ptr guard_loop(jinja::for_statement& loop) {
    assignee(loop.loopvar);
    if (auto* select = dynamic_cast<jinja::select_expression*>(loop.iterable.get())) {
      select->lhs = std::make_unique<Iterated>(expression(std::move(select->lhs)));
      required(select->test);
    } else {
      loop.iterable = std::make_unique<Iterated>(expression(std::move(loop.iterable)));
    }
    body(loop.body);
    body(loop.default_block);
    return replace<Counted<jinja::for_statement>>(loop);
  }

  void assignee(const statement_ptr& node) {
    if (auto* name = dynamic_cast<jinja::identifier*>(node.get())) names.insert(name->val);
    if (auto* tuple = dynamic_cast<jinja::tuple_literal*>(node.get())) {
      for (const statement_ptr& element : tuple->val) assignee(element);
    }
    if (auto* member = dynamic_cast<jinja::member_expression*>(node.get()))
      member->object = expression(std::move(member->object));
  }

  void parameters(statements& nodes) {
    for (statement_ptr& node : nodes) {
      if (auto* with_default = dynamic_cast<jinja::keyword_argument_expression*>(node.get())) {
        with_default->val = expression(std::move(with_default->val));
        assignee(with_default->key);
      } else {
        assignee(node);
      }
    }
  }

  void required(statement_ptr& node) {
    if (node != nullptr) node = std::make_unique<Required>(expression(std::move(node)));
  }

  void arguments(statements& nodes) {
    for (statement_ptr& node : nodes) {
      if (auto* named = dynamic_cast<jinja::keyword_argument_expression*>(node.get())) {
        required(named->val);
      } else {
        required(node);
      }
    }
  }

  void call_parts(jinja::call_expression& call) {
    call.callee = expression(std::move(call.callee));
    arguments(call.args);
  }

  void filter_arguments(const statement_ptr& filter) {
    if (auto* call = dynamic_cast<jinja::call_expression*>(filter.get())) arguments(call->args);
  }

  statement_ptr expression(statement_ptr node) {
    if (auto* name = dynamic_cast<jinja::identifier*>(node.get())) {
      names.insert(name->val);
      return replace<Name>(*name);
    }
    if (auto* member = dynamic_cast<jinja::member_expression*>(node.get())) return guard_member(*member);
    if (auto* call = dynamic_cast<jinja::call_expression*>(node.get())) {
      call_parts(*call);
      return replace<Call>(*call);
    }
    if (auto* filter = dynamic_cast<jinja::filter_expression*>(node.get())) {
      filter->operand = expression(std::move(filter->operand));
      filter_arguments(filter->filter);
      return replace<Filter>(*filter);
    }
    if (auto* test = dynamic_cast<jinja::test_expression*>(node.get())) {
      test->operand = expression(std::move(test->operand));
      filter_arguments(test->test);
      return replace<Test>(*test);
    }
    if (auto* binary = dynamic_cast<jinja::binary_expression*>(node.get())) {
      required(binary->left);
      required(binary->right);
      return replace<Binary>(*binary);
    }
    return compound(std::move(node));
  }

  statement_ptr guard_member(jinja::member_expression& member) {
    required(member.object);
    if (auto* slice = dynamic_cast<jinja::slice_expression*>(member.property.get())) {
      required(slice->start_expr);
      required(slice->stop_expr);
      required(slice->step_expr);
    } else if (member.computed) {
      required(member.property);
    }
    return replace<Member>(member);
  }

  statement_ptr compound(statement_ptr node) {
    if (auto* unary = dynamic_cast<jinja::unary_expression*>(node.get())) {
      required(unary->argument);
      return replace<Counted<jinja::unary_expression>>(*unary);
    }
    if (auto* ternary = dynamic_cast<jinja::ternary_expression*>(node.get())) {
      required(ternary->condition);
      ternary->true_expr = expression(std::move(ternary->true_expr));
      ternary->false_expr = expression(std::move(ternary->false_expr));
      return replace<Counted<jinja::ternary_expression>>(*ternary);
    }
    if (auto* select = dynamic_cast<jinja::select_expression*>(node.get())) {
      select->lhs = expression(std::move(select->lhs));
      required(select->test);
      return replace<Select>(*select);
    }
    if (auto* list = dynamic_cast<jinja::array_literal*>(node.get())) {
      for (statement_ptr& element : list->val) required(element);
      return replace<Weighed<jinja::array_literal>>(*list);
    }
    if (auto* tuple = dynamic_cast<jinja::tuple_literal*>(node.get())) {
      for (statement_ptr& element : tuple->val) required(element);
      return replace<Weighed<jinja::tuple_literal>>(*tuple);
    }
    if (auto* object = dynamic_cast<jinja::object_literal*>(node.get())) {
      for (auto& [key, member] : object->val) {
        required(key);
        required(member);
      }
      return replace<Weighed<jinja::object_literal>>(*object);
    }
    if (auto* text = dynamic_cast<jinja::string_literal*>(node.get()))
      return replace<Counted<jinja::string_literal>>(*text);
    return node;
  }
};

}  // namespace

std::set<std::string> guard_nodes(jinja::program& program) {
  Guard guard;
  guard.body(program.body);
  return std::move(guard.names);
}

}  // namespace weft::templates
