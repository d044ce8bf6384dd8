export { type Answer, type Client, clientOf } from './client.ts'
export type { Fixtures, Person } from './fixtures.ts'
export { git, makeHistory, temporaryDirectory } from './git.ts'
export { startTestServer, type TestServer } from './server.ts'
