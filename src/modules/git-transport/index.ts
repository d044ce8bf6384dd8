export { type GitAccess, type GitRefusal, type GitService, gitAccess, sentences } from './access.ts'
export { type GitCaller, gitAuthentication } from './credentials.ts'
export { createGitHttp, pushGateOf } from './http.ts'
