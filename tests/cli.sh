#!/bin/sh
# Tests of the program dnspack: tests/cli.sh PROGRAM [ROOT], the second being the root of the repository.
set -u

program=$1
root=${2:-.}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
count=0

# www.example.com A: two addresses for 300 s, an extended error, OPT.
response='1234 8180 0001 0002 0000 0001 03777777076578616d706c6503636f6d00 0001 0001
          c00c 0001 0001 0000012c 0004 c0000201   c00c 0001 0001 0000012c 0004 c0000202
          00 0029 04d0 00000000 0008 000f 0004 0003 6f6b'
# The same question in another spelling, with DO.
query='5678 0100 0001 0000 0000 0001 03575757074558414d504c4503434f4d00 0001 0001 00 0029 04d0 00008000 0000'
# Another question, and the response cut inside its second record.
other='5678 0100 0001 0000 0000 0000 03777777076578616d706c65036f726700 0001 0001'
short='1234 8180 0001 0002 0000 0000 03777777076578616d706c6503636f6d00 0001 0001 c00c 0001 0001 0000012c 0004 c0000201 c00c 0001'

fail() {
    failed=$((failed + 1))
    printf 'not ok: %s\n' "$1"
    sed 's/^/    out: /' "$work/out"
    sed 's/^/    err: /' "$work/err"
}

# run CODE ARGUMENT...: the program ends with this exit code; its output is in $work/out and $work/err.
run() {
    code=$1
    shift
    count=$((count + 1))
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "dnspack $*: exit code $got instead of $code"
}

# Standard output or standard error has a line with this text.
out() {
    count=$((count + 1))
    tr '\t' ' ' <"$work/out" | grep -qF -e "$1" || fail "no '$1' in the output"
}
err() {
    count=$((count + 1))
    grep -qF -e "$1" "$work/err" || fail "no '$1' in the errors"
}
silent() {
    count=$((count + 1))
    [ ! -s "$work/err" ] || fail "there are errors"
}

# The octets that hexadecimal digits say.
octets() {
    numbers=$(printf '%s' "$1" | tr -d ' \n' | sed 's/../0x& /g')
    # shellcheck disable=SC2086,SC2059 # each number is an argument; the format is the octets
    printf "$(printf '\\%03o' $numbers)"
}

# As a frame: behind its length in two octets.
framed() {
    digits=$(printf '%s' "$1" | tr -d ' \n')
    octets "$(printf '%04x' $((${#digits} / 2)))$digits"
}

# ---- help, version, usage ----

run 0 --help
out 'Usage: dnspack COMMAND'
run 0 --version
out 'dnspack '
for command in measure show encode answer check; do
    run 0 "$command" --help
    out "Usage: dnspack $command"
    out 'Exit code:'
    silent
    run 2 "$command" --no-such-option
    err "dnspack: $command: unknown"
done
run 2
err 'Usage: dnspack COMMAND'
run 2 no-such-command
err 'no such command'
run 2 measure
err 'no file'
run 2 measure --section-drop question x
err "'question' is neither"
run 2 encode --now
err 'takes an argument'
run 2 encode --now 4294967296
err 'not a number'
run 2 encode --now -1
err 'not a number'
run 2 encode --tag 0g
err 'not a hexadecimal digit'
run 2 encode --tag 123
err 'odd number'
run 2 encode --hex=yes
err 'takes no argument'
run 2 encode one two
err 'more than one file'
run 2 show one two
err 'more than one file'
run 2 answer "$work/none"
err '--query FILE is missing'
for command in measure show encode check; do
    run 2 "$command" "$work/none"
    err "dnspack: $work/none: "
done
run 2 answer --query "$work/none" "$work/none.too"
err "dnspack: $work/none.too: "

# ---- encode, check, show, answer ----

printf '%s\n' "$response" >"$work/response.hex"
printf '%s\n' "$query" >"$work/query.hex"
octets "$response" >"$work/response"
octets "$query" >"$work/query"
octets "$other" >"$work/other"
octets "$short" >"$work/short"

run 0 encode --now 1000 "$work/response"
cp "$work/out" "$work/entry"
silent
run 0 encode --now 1000 --hex --in-hex "$work/response.hex"
cp "$work/out" "$work/entry.hex"
octets "$(cat "$work/entry.hex")" >"$work/entry.too"
count=$((count + 1))
cmp -s "$work/entry" "$work/entry.too" || fail 'encode --hex gives another entry'
count=$((count + 1))
"$program" encode --now 1000 <"$work/response" | "$program" check >"$work/out" 2>"$work/err" || fail 'encode | check'
out '-: valid entry'

run 0 check "$work/entry"
out "$work/entry: valid entry, $(wc -c <"$work/entry") octets"
run 0 check --in-hex "$work/entry.hex"
run 1 check "$work/entry" "$work/response"
out "$work/entry: valid entry"
out "$work/response: not an entry"
run 1 check /dev/null
run 1 encode "$work/short"
err "dnspack: $work/short: refused: short"
run 1 encode "$work/query"
err 'refused: '
head -c 70000 /dev/zero >"$work/large"
run 1 encode "$work/large"
err 'more than 65535 octets'
run 1 check "$work/large"

run 0 show "$work/entry"
out 'www.example.com. IN A: NOERROR'
out 'stored at 1000 s for 300 s'
out 'extended error 3: "ok"'
out 'www.example.com. 300 IN A 192.0.2.2'
out 'length of the entry'
out 'address: 192.0.2.1'
silent
run 0 show --entry --in-hex "$work/entry.hex"
run 0 show "$work/response"
out 'www.example.com. 300 IN A 192.0.2.1'
out 'pointer to 000c, www.example.com.'
out 'text, 2 octets: "ok"'
silent
run 1 show --entry "$work/response"
err 'not a valid entry'
run 1 show "$work/short"
err 'refused as a message: short'
run 1 show --message "$work/entry"
run 1 show /dev/null

run 0 answer --query "$work/query" --now 1100 --hex "$work/entry"
cp "$work/out" "$work/answer.hex"
silent
run 0 show --in-hex "$work/answer.hex"
out 'WWW.EXAMPLE.COM.'
out '200 IN A 192.0.2.1'
out 'ID: 22136'
run 0 answer --query "$work/query.hex" --in-hex --now 1100 --hex "$work/entry.hex"
count=$((count + 1))
cmp -s "$work/out" "$work/answer.hex" || fail 'answer --in-hex gives another answer'
run 0 answer --query "$work/query" --now 1100 --rotation 1 --size 4096 --stream "$work/entry"
cp "$work/out" "$work/answer"
run 0 show "$work/answer"
count=$((count + 1))
[ "$(grep -c 'IN.A.192.0.2' "$work/out")" -eq 2 ] || fail 'there are not two addresses'
count=$((count + 1))
grep 'IN.A.192.0.2' "$work/out" | head -n 1 | grep -q '192\.0\.2\.2$' || fail '--rotation 1 does not begin with the second address'
run 1 answer --query "$work/query" --now 1300 "$work/entry"
err 'no answer: expired'
run 0 answer --query "$work/query" --now 1300 --stale 100 "$work/entry"
run 1 answer --query "$work/other" --now 1100 "$work/entry"
err 'the entry answers another question'
run 1 answer --query "$work/response" --now 1100 "$work/entry"
err 'no answer: direction'
run 1 answer --query "$work/query" "$work/response"
err 'not an entry'
run 2 answer --query - -
err 'the same file'

run 0 encode --now 1000 --tag 0118c00002 "$work/response"
cp "$work/out" "$work/tagged"
run 0 show "$work/tagged"
out 'tag 0118c00002'
run 1 answer --query "$work/query" --now 1000 "$work/tagged"
run 0 answer --query "$work/query" --now 1000 --tag 0118c00002 "$work/tagged"

# ---- measure ----

{
    framed "$response"
    framed "$query"
    framed "$short"
    framed "$response"
} >"$work/stream"
run 0 measure "$work/stream"
out 'messages'
out 'wire message'
silent
run 0 measure --json "$work/stream"
out '"messages": 4,'
out '"responses": 3,'
out '"stored": 2,'
out '"short": 1'
out '"answered": 2,'
out '"answers_equal": 2,'
out '"queries_parsed": 1,'
out '"bytes_per_entry": {'
out "\"entry\": $(wc -c <"$work/entry").000"
silent
run 0 measure --json --section-drop authority --section-drop additional --compare-ldns "$work/stream"
out '"answers_equal": 2,'
out '"same": 4'
run 0 measure --save-refused "$work/refused" --save-different "$work/different" "$work/stream"
count=$((count + 1))
find "$work/refused" -name '*-000003-short.bin' -exec cmp -s {} "$work/short" \; -print | grep -q . || fail '--save-refused saves nothing'
count=$((count + 1))
[ -z "$(ls -A "$work/different")" ] || fail '--save-different saves what is equal'
run 0 measure --json "$work/response"
out '"messages": 1,'

head -c 100 "$work/stream" >"$work/cut"
run 1 measure --json "$work/cut" "$work/stream"
err "dnspack: $work/cut: cut short: the last 14 octets"
out '"responses": 4,'
printf 'This is not a capture of anything, nor is it a message.\n' >"$work/text"
run 1 measure --json "$work/text" "$work/stream"
err "dnspack: $work/text: neither a capture nor a message"
out '"answers_equal": 2,'
run 2 measure --json "$work/none" "$work/stream"
out '"answers_equal": 2,'

set -- "$root"/corpus/captures/*.pcap*
if [ -e "$1" ]; then
    run 0 measure --json "$@"
    out '"bytes_per_entry": {'
    silent
fi

printf '%d checks, %d failed\n' "$count" "$failed"
[ "$failed" -eq 0 ]
