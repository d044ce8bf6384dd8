import type { ServedRoute } from '../../../api/index.ts'

const mediaType = 'application/json'

/** Documents an answer with an error body (contract 02 R6). */
export const refusal = (description: string) => ({ description, mediaType })

/** What every endpoint may answer. */
export const refusals = {
  401: refusal('The token is missing, not accepted, or lacks an action; the challenge names the scope to ask for'),
  429: refusal('Too many requests'),
  503: refusal('The database or the object store is not available'),
} satisfies ServedRoute['answers']

/** What the endpoints of a repository may answer besides. */
export const repositoryRefusals = {
  400: refusal('The name, the digest or another part of the request is malformed'),
  404: refusal('The repository, or what the request names in it, does not exist'),
  ...refusals,
} satisfies ServedRoute['answers']

/** What the endpoints that change a repository may answer besides. */
export const changeRefusals = {
  403: refusal('The project is archived, or the repository is being deleted'),
  ...repositoryRefusals,
} satisfies ServedRoute['answers']
