import { nothing, reading, recordNotFound, requireSignedIn, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { UserAgentDetail, userAgentDetail } from '../../spam/index.ts'
import { atBothPlaces } from '../places.ts'
import { readableSnippet, requireSnippet } from './access.ts'
import { createSnippet } from './create.ts'
import { newProjectSnippet, newSnippet, snippetChanges } from './params.ts'
import { presentSnippet, SnippetObject } from './present.ts'
import { deleteSnippet } from './remove.ts'
import { changeSnippet } from './update.ts'

const tag = 'Snippets'

/** Two files of the greatest size (contract 3.12). */
const largestBodyBytes = 100 * 1024 * 1024

/** The header of answers to the deprecated form of one file (contract 09, "Rules and state machines"). */
function noteDeprecated(
  { content, file_name: name }: { content?: string; file_name?: string },
  setHeader: (name: string, value: string) => void,
): void {
  if (content !== undefined || name !== undefined) setHeader('Deprecation', 'true')
}

export const snippetTwins = atBothPlaces(({ kind, path, item, subject, allow, idParams, idOf, contract, where }) => ({
  get: operation({
    id: `${kind}.get`,
    contract: contract('3.11', 'get'),
    method: 'GET',
    path: item,
    tag,
    summary: `Get a snippet${where}`,
    subject,
    allow: allow.read,
    scopes: reading,
    params: idParams,
    result: [200, SnippetObject],
    async run({ platform, subject: place, actor, params }) {
      return presentSnippet(platform, await requireSnippet(platform, place, actor, idOf(params)))
    },
  }),
  create: operation({
    id: `${kind}.create`,
    contract: contract('3.12', 'create'),
    method: 'POST',
    path,
    tag,
    summary: `Create a snippet${where}`,
    description: 'At most 300 per hour and user, by default. `files` or, deprecated, `content` with `file_name`.',
    subject,
    allow: allow.create,
    scopes: writing,
    params: kind === 'snippets' ? newSnippet : newProjectSnippet,
    exactlyOne: ['files', 'content'],
    largestBodyBytes,
    result: [201, SnippetObject],
    async run({ platform, subject: place, actor: caller, params, request, setHeader }) {
      const actor = requireSignedIn(caller)
      const row = await createSnippet(platform, { ...place, actor, request }, params)
      noteDeprecated(params, setHeader)
      return presentSnippet(platform, row)
    },
  }),
  update: operation({
    id: `${kind}.update`,
    contract: contract('3.13', 'update'),
    method: 'PUT',
    path: item,
    tag,
    summary: `Update a snippet${where}`,
    description:
      'All changes of files make one commit, or none. `content` and `file_name` are for snippets of one file.',
    subject,
    allow: allow.update,
    scopes: writing,
    params: { ...idParams, ...snippetChanges },
    atLeastOne: ['content', 'description', 'files', 'file_name', 'title', 'visibility'],
    exclusive: [
      ['files', 'content'],
      ['files', 'file_name'],
    ],
    largestBodyBytes,
    result: [200, SnippetObject],
    async run({ platform, subject: place, actor: caller, params, request, setHeader }) {
      const actor = requireSignedIn(caller)
      const row = await changeSnippet(platform, { ...place, actor, request }, idOf(params), params)
      noteDeprecated(params, setHeader)
      return presentSnippet(platform, row)
    },
  }),
  delete: operation({
    id: `${kind}.delete`,
    contract: contract('3.14', 'delete'),
    method: 'DELETE',
    path: item,
    tag,
    summary: `Delete a snippet${where}`,
    subject,
    allow: allow.update,
    scopes: writing,
    params: idParams,
    result: [204, nothing],
    run: ({ platform, subject: place, actor, params, unmodified }) =>
      deleteSnippet(platform, place, requireSignedIn(actor), idOf(params), unmodified),
  }),
  userAgentDetail: operation({
    id: `${kind}.user_agent_detail`,
    contract: contract('x.snippet_user_agent_detail', 'user_agent_detail'),
    method: 'GET',
    path: `${item}/user_agent_detail`,
    tag,
    summary: `Get the user agent with which a snippet${where} was created`,
    subject,
    allow: allow.inspect,
    scopes: reading,
    params: idParams,
    result: [200, UserAgentDetail],
    async run({ platform, subject: place, actor, params }) {
      const snippet = await readableSnippet(platform, place, actor, idOf(params))
      if (!snippet) throw recordNotFound()
      return userAgentDetail(platform, { type: 'Snippet', id: snippet.id })
    },
  }),
}))
