/**
 * Node's own clients for HTTP. An import of `node:http` into an ES module reads all that it exports, also what is loaded when it is
 * first read: the client of `fetch`, with 13 MiB of memory and 50 ms of a start.
 */
export const { request: requestHttp } = process.getBuiltinModule('node:http')
export const { request: requestHttps } = process.getBuiltinModule('node:https')
