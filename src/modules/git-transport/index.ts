export {
  type GitAccess,
  type GitAccessNeeds,
  type GitRefusal,
  type GitService,
  gitAccess,
  sentences,
} from './access.ts'
export { type GitCaller, gitAuthentication } from './credentials.ts'
export { createGitHttp, pushGateOf } from './http.ts'
