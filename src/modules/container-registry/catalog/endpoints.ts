import type { Platform } from '../../../platform/index.ts'
import { sendJson } from '../http/answers.ts'
import { refusal, refusals } from '../http/documentation.ts'
import type { Exchange, RegistryEndpoint } from '../http/endpoint.ts'
import { countInvalid, maximumPage, nextLink, readCount } from '../http/pages.ts'
import { repositoryPaths } from './store.ts'

const usualPage = 100

async function list({ database }: Platform, { query, reply }: Exchange): Promise<void> {
  const count = readCount(query) ?? usualPage
  if (count > maximumPage) throw countInvalid(String(query.get('n')))
  // No path has the character U+0000, which PostgreSQL has not either.
  const last = (query.get('last') ?? '').split('\0', 1)[0] ?? ''
  // One more than is sent shows whether another page follows.
  const paths = count === 0 ? [] : await repositoryPaths(database.read, last, count + 1)
  const repositories = paths.slice(0, count)
  const next = { n: String(count), last: repositories.at(-1) ?? '' }
  sendJson(reply, 200, { repositories }, paths.length > count ? nextLink('/v2/_catalog', next) : {})
}

/** The endpoint that lists all repositories, for administrators (contract 02). */
export const catalogEndpoints: readonly RegistryEndpoint[] = [
  {
    id: 'registry.list_repositories',
    contract: 'x.v2_catalog',
    method: 'GET',
    path: '/v2/_catalog',
    summary: 'List the names of all registry repositories',
    description: 'In byte order. Needs a token for `registry:catalog:*`, which administrators get.',
    query: {
      n: { required: false, description: 'Names of one answer; 100 unless given, 1,000 at most.' },
      last: { required: false, description: 'The list begins after this name, which need not exist.' },
    },
    answers: {
      200: { description: 'The names', mediaType: 'application/json' },
      400: refusal('`n` is not a number, or too large'),
      ...refusals,
    },
    catalog: true,
    run: list,
  },
]
