// One request by node:https alone, its answer printed: the least that a reply over https can cost.
const https = require('node:https');
const request = https.request(
  process.argv[2],
  { method: 'POST', headers: { 'content-type': 'application/json' } },
  (response) => {
    response.pipe(process.stdout);
  },
);
request.end('{"model":"mock-1","stream":true,"messages":[]}');
