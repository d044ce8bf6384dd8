import {
  type Actor,
  dayOf,
  instance,
  notFound,
  type Operation,
  type RequestInfo,
  raw,
  reading,
  t,
} from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { visibleProject } from '../../projects/index.ts'
import { readableSnippet, requireSnippet, type Snippet } from '../core/access.ts'
import { atBothPlaces } from '../places.ts'
import { rawFile, rawFirstFile } from './raw.ts'

const text = { ...raw, mediaType: 'text/plain' } as const
const shared = { method: 'GET', tag: 'Snippets', scopes: reading, result: [200, text] } as const

const fileParams = {
  ref: t.required(t.string({ description: 'Branch, tag or commit.' })),
  file_path: t.required(t.string({ description: 'Path of the file, encoded.' })),
}

const readingOf = ({ signal, ip }: RequestInfo, actor: Actor) => {
  return { signal, ip, userId: actor.kind === 'user' ? actor.userId : null }
}

export const rawSnippets = atBothPlaces(({ kind, item, subject, allow, idParams, idOf, contract, where }) => ({
  raw: operation({
    ...shared,
    id: `${kind}.raw`,
    contract: contract('3.11b', 'raw'),
    path: `${item}/raw`,
    summary: `Get the bytes of the first file of a snippet${where}`,
    subject,
    allow: allow.read,
    params: idParams,
    async run({ platform, subject: place, actor, params, request }) {
      const snippet = await requireSnippet(platform, place, actor, idOf(params))
      return rawFirstFile(platform, snippet, readingOf(request, actor))
    },
  }),
  fileRaw: operation({
    ...shared,
    id: `${kind}.file_raw`,
    contract: contract('3.11c', 'file_raw'),
    path: `${item}/files/:ref/:file_path/raw`,
    summary: `Get the bytes of a file of a snippet${where}`,
    subject,
    allow: allow.read,
    params: { ...idParams, ...fileParams },
    async run({ platform, subject: place, actor, params, request }) {
      const snippet = await requireSnippet(platform, place, actor, idOf(params))
      return rawFile(platform, snippet, { ref: params.ref, path: params.file_path }, readingOf(request, actor))
    },
  }),
}))

const web = { ...shared, root: true, subject: instance, allow: 'public', takesSession: true } as const
const webId = { id: t.id({ otherwise: 'route' }) }

/** The snippet of an address outside the API. @param projectPath null for a personal one @throws ApiError 404 */
async function webSnippet(platform: Platform, actor: Actor, id: number, projectPath: string | null): Promise<Snippet> {
  const { read } = platform.database
  const project =
    projectPath === null ? null : await visibleProject(read, projectPath, actor, dayOf(platform.clock.now()))
  const isLost = projectPath !== null && project === null
  const snippet = isLost ? null : await readableSnippet(platform, { project }, actor, id)
  if (!snippet || (projectPath === null && snippet.project)) throw notFound()
  return snippet
}

const webOperations = [
  operation({
    ...web,
    id: 'snippets.web_raw',
    contract: 'x.snippet_web_raw',
    path: '/-/snippets/:id/raw',
    summary: 'Get the bytes of the first file by `raw_url` of a snippet',
    params: webId,
    async run({ platform, actor, params, request }) {
      return rawFirstFile(platform, await webSnippet(platform, actor, params.id, null), readingOf(request, actor))
    },
  }),
  operation({
    ...web,
    id: 'snippets.web_file_raw',
    contract: 'x.snippet_web_file_raw',
    path: '/-/snippets/:id/raw/:ref/:path',
    spanning: ['path'],
    summary: 'Get the bytes of a file by its `raw_url`',
    params: webId,
    async run({ platform, actor, params: { id, ref, path }, request }) {
      return rawFile(platform, await webSnippet(platform, actor, id, null), { ref, path }, readingOf(request, actor))
    },
  }),
  operation({
    ...web,
    id: 'project_snippets.web_raw',
    contract: 'x.project_snippet_web_raw',
    path: '/:project_path/-/snippets/:id/raw',
    spanning: ['project_path'],
    summary: 'Get the bytes of the first file by `raw_url` of a snippet of a project',
    params: webId,
    async run({ platform, actor, params: { id, project_path: path }, request }) {
      return rawFirstFile(platform, await webSnippet(platform, actor, id, path), readingOf(request, actor))
    },
  }),
  operation({
    ...web,
    id: 'project_snippets.web_file_raw',
    contract: 'x.project_snippet_web_file_raw',
    path: '/:project_path/-/snippets/:id/raw/:ref/:path',
    spanning: ['project_path', 'path'],
    summary: 'Get the bytes of a file by its `raw_url` in a project',
    params: webId,
    async run({ platform, actor, params: { id, ref, path, project_path: projectPath }, request }) {
      const snippet = await webSnippet(platform, actor, id, projectPath)
      return rawFile(platform, snippet, { ref, path }, readingOf(request, actor))
    },
  }),
]

export const rawOperations = [...Object.values(rawSnippets).flatMap(Object.values<Operation>), ...webOperations]
