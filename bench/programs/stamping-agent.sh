#!/bin/bash
# instant-agent.sh that runs for 50 ms and says when it ended: its last act is to write the time, in microseconds since
# 1970, to the file named by BENCH_STAMP.
case "$1" in --version | --help) exec "${0%/*}/instant-agent.sh" "$@" ;; esac
IFS= read -r prompt
sleep 0.05
echo '{"event":"init","conversation_id":"c1","init":{"cwd":"/","tools":[],"permission_mode":"always-proceed"}}'
echo '{"event":"result","result":{"conversation_id":"c1","status":"SUCCESS","response":"done","duration_seconds":0,"num_turns":1,"usage":{"input_tokens":1,"output_tokens":1,"thinking_tokens":0,"cache_read_tokens":0,"total_tokens":2}}}'
printf '%s' "${EPOCHREALTIME/[.,]/}" >"$BENCH_STAMP"
