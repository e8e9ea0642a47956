#!/bin/sh
# Plays the whole circle in a new folder, and says where everything lies. The command is named by WEFT_BINARY, or is
# `weft` on the path, or what was built here; beside it nothing but Python 3 is needed.
set -e
folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-circle.XXXXXX")/workspace
python3 "$(dirname "$0")/play.py" "$folder"
cat <<END

The files are in $folder. Look around:
  weft -w $folder -u ann agent list             runs; \`agent show ID\` tells one step by step
  $folder/evolution/rules/active_rules.yaml     the rule, with what it stands on
  $folder/evolution/strategy_log.jsonl          what became of it, a line each
  $folder/skills/learned                        the skill, with its former versions
  $folder/skills/mutations                      the change that won
  $folder/reflections, $folder/beliefs, $folder/curiosity
END
