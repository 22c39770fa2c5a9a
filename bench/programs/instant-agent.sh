#!/bin/sh
# An agent that answers at once: what is left of a job's time is Baton's own. Keeps as much of the headless contract as
# the job tools ask for: version, help with flags, and one run in stream-json. "SLEEP n" in the prompt keeps the run
# going for n seconds.
case "$1" in
  --version) echo 1.2.16; exit 0 ;;
  --help)
    echo '  -p, --print  --output-format  --dangerously-skip-permissions  --disable-slash-commands  --print-timeout'
    echo '  --json-schema  --mode  --model  --effort  --conversation  --add-dir  --sandbox'
    echo '  --input-format  Print mode input: text or stream-json'
    exit 0 ;;
esac
IFS= read -r prompt
case "$prompt" in *SLEEP\ *) seconds=${prompt##*SLEEP }; sleep "${seconds%%[!0-9.]*}" ;; esac
echo '{"event":"init","conversation_id":"c1","init":{"cwd":"/","tools":[],"permission_mode":"always-proceed"}}'
echo '{"event":"step_update","step_update":{"conversation_id":"c1","step_index":1,"state":"DONE","step_type":"agent_response","text_delta":"done"}}'
echo '{"event":"result","result":{"conversation_id":"c1","status":"SUCCESS","response":"done","duration_seconds":0,"num_turns":1,"usage":{"input_tokens":1,"output_tokens":1,"thinking_tokens":0,"cache_read_tokens":0,"total_tokens":2}}}'
