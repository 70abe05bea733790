// A worker of any kind that sends requests: a dedicated and a shared worker for a message with their address, a service
// worker for requests to /by-service-worker.
const ask = address => fetch(address).then(r => r.ok ? 'yes' : 'status ' + r.status, () => 'no')
onmessage = e => ask(e.data).then(postMessage)
onconnect = e => { const port = e.ports[0]; port.onmessage = m => ask(m.data).then(a => port.postMessage(a)) }
addEventListener('install', () => self.skipWaiting())
addEventListener('activate', e => e.waitUntil(clients.claim()))
addEventListener('fetch', e => {
  if (e.request.url.endsWith('/by-service-worker'))
    e.respondWith(ask('/echo?service-worker').then(answer => new Response(answer)))
})
