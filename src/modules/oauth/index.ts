export { createOauth, type Oauth, type OauthNeeds } from './oauth.ts'
export { oauthOperations } from './operations.ts'
