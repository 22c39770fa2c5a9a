#!/bin/sh
# An agent that writes the file BENCH_EVENTS 40 times over some ten seconds, and a result: 40 times 50 events.
case "$1" in --version | --help) exec "${0%/*}/instant-agent.sh" "$@" ;; esac
IFS= read -r prompt
echo '{"event":"init","conversation_id":"c'$$'","init":{"cwd":"/","tools":[],"permission_mode":"always-proceed"}}'
i=0
while [ $i -lt 40 ]; do
  cat "$BENCH_EVENTS"
  sleep 0.25
  i=$((i + 1))
done
echo '{"event":"result","result":{"conversation_id":"c'$$'","status":"SUCCESS","response":"done","duration_seconds":10,"num_turns":1,"usage":{"input_tokens":1,"output_tokens":1,"thinking_tokens":0,"cache_read_tokens":0,"total_tokens":2}}}'
