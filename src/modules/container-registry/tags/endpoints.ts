import { Readable } from 'node:stream'
import type { Reader } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { sendJson } from '../http/answers.ts'
import { repositoryRefusals } from '../http/documentation.ts'
import { pulling, type RepositoryEndpoint, type RepositoryExchange } from '../http/endpoint.ts'
import { maximumPage, nextLink, readCount } from '../http/pages.ts'
import { registryProblem } from '../http/problems.ts'
import { tagNamesAfter } from './store.ts'

/** Names of one query while all are sent. */
const batchSize = 5000

/** The answer with all tags, read in batches while it is sent. */
async function* wholeList(db: Reader, repositoryId: number, name: string, after: string | undefined) {
  yield `{"name":${JSON.stringify(name)},"tags":[`
  let last = after
  for (let isFirst = true; ; isFirst = false) {
    const names = await tagNamesAfter(db, repositoryId, { last, limit: batchSize })
    if (names.length > 0) yield `${isFirst ? '' : ','}${JSON.stringify(names).slice(1, -1)}`
    if (names.length < batchSize) break
    last = names.at(-1)
  }
  yield ']}'
}

async function list({ database }: Platform, { query, reply, name, place }: RepositoryExchange): Promise<void> {
  const { repository } = place
  if (!repository) throw registryProblem('NAME_UNKNOWN', { detail: { name } })
  const count = readCount(query)
  const last = query.get('last') ?? undefined
  if (count === undefined) {
    const text = handled(Readable.from(wholeList(database.read, repository.id, name, last), { objectMode: false }))
    return void reply.code(200).header('Content-Type', 'application/json').send(text)
  }
  const limit = Math.min(count, maximumPage)
  // One more than is sent shows whether another page follows.
  const names = limit === 0 ? [] : await tagNamesAfter(database.read, repository.id, { last, limit: limit + 1 })
  const tags = names.slice(0, limit)
  const hasNext = names.length > limit
  const next = { n: String(count), last: tags.at(-1) ?? '' }
  sendJson(reply, 200, { name, tags }, hasNext ? nextLink(`/v2/${name}/tags/list`, next) : {})
}

/** The endpoints of tags (contract 02). */
export const tagEndpoints: readonly RepositoryEndpoint[] = [
  {
    id: 'registry.list_tags',
    contract: 'x.v2_tags_list',
    method: 'GET',
    path: '/v2/{name}/tags/list',
    summary: 'List the tags of an image repository',
    description: 'In byte order.',
    query: {
      n: { required: false, description: 'Tags of one answer, 1,000 at most; all unless given.' },
      last: { required: false, description: 'The list begins after this name, which need not exist.' },
    },
    answers: { 200: { description: 'The tags', mediaType: 'application/json' }, ...repositoryRefusals },
    access: pulling,
    run: list,
  },
]
