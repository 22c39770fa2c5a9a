#!/bin/sh
# A well-behaved agent of a given pace, cheap enough to be run by the hundred.
#   paced-agent.sh RUNS STEPS PAUSE [CONVERSATION]
# Adds a line to the file RUNS (so that a test sees how often it was run), writes init, STEPS pieces of text with a pause
# of PAUSE seconds before each, and a SUCCESS result whose response is the pieces put together.
runs=$1 steps=$2 pause=$3 conversation=${4:-c-$$}
echo "$$" >>"$runs"
printf '{"event":"init","conversation_id":"%s","init":{"cwd":"%s","tools":[],"permission_mode":"always-proceed"}}\n' "$conversation" "$PWD"
i=1 all=
while [ "$i" -le "$steps" ]; do
  sleep "$pause"
  printf '{"event":"step_update","step_update":{"conversation_id":"%s","step_index":%s,"state":"ACTIVE","step_type":"agent_response","text_delta":"piece %s. "}}\n' "$conversation" "$i" "$i"
  all="${all}piece $i. "
  i=$((i + 1))
done
printf '{"event":"result","result":{"conversation_id":"%s","status":"SUCCESS","response":"%s","duration_seconds":1,"num_turns":1,"usage":{"input_tokens":10,"output_tokens":5,"thinking_tokens":0,"cache_read_tokens":0,"total_tokens":15}}}\n' "$conversation" "$all"
