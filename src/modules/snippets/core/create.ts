import {
  forbidden,
  limitRequests,
  notFound,
  parameterErrors,
  type RequestInfo,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { insertRepository } from '../../../platform/repositories/index.ts'
import { type CommitBase, changesOf } from '../../commits/index.ts'
import { holdTree, type Visibility } from '../../namespaces/index.ts'
import { chooseStorage, type Project, projectById } from '../../projects/index.ts'
import { checkPublished, storeUserAgent } from '../../spam/index.ts'
import { maximumFiles } from '../repository/repository.ts'
import { refused, writeSnippet } from '../repository/write.ts'
import type { Place } from './access.ts'
import type { NewSnippet } from './params.ts'
import { removeSnippets } from './remove.ts'
import { defaultVisibility, invalidActions, requireAllowed, requireLengths } from './rules.ts'
import { insertSnippet, snippetById } from './store.ts'

type NewFile = { file_path: string; content: string }

/** Who creates a snippet, and where. */
export type Creation = Place & { actor: UserActor; request: RequestInfo }

const hourSeconds = 3_600

/** The files of a request; one file may be given in the deprecated form. @throws ApiError 400 */
function filesOf({ files, content, file_name: fileName }: NewSnippet): NewFile[] {
  if (files) return files
  if (fileName === undefined) throw parameterErrors([{ name: 'file_name', missing: true, text: 'is missing' }])
  return [{ file_path: fileName, content: content ?? '' }]
}

/** @throws ApiError 422, 400 for files that no snippet can have together */
function requireFiles(files: readonly NewFile[]): void {
  if (new Set(files.map(({ file_path: path }) => path)).size < files.length) throw invalidActions()
  if (files.length <= maximumFiles) return
  const reason = `The repository can contain at most ${maximumFiles} file(s).`
  throw refused(400, `Repository Error creating the snippet - ${reason}`)
}

type Attributes = Pick<NewSnippet, 'title' | 'description'> & { visibility: Visibility }

/** Writes the rows of a snippet without files. @returns its id */
async function insertRows(platform: Platform, creation: Creation, attributes: Attributes): Promise<number> {
  const { database, clock, settings, random } = platform
  const { repository_storages_weighted: weights } = await settings.current()
  const moment = now(clock)
  const storage = chooseStorage(weights, random())
  await platform.storages.require(storage)
  const { actor, request } = creation
  const { title, description = null, visibility } = attributes
  return database.write(async (tx) => {
    const projectId = creation.project && (await heldProjectId(tx, creation.project))
    const row = { project_id: projectId, author_id: actor.userId, title, description, visibility }
    const id = await insertSnippet(tx, { ...row, created_at: moment, updated_at: moment })
    const place = { owner: { snippetId: id }, kind: 'snippet', storage, objectFormat: 'sha1', now: moment } as const
    await insertRepository(tx, place)
    await storeUserAgent(platform, tx, { type: 'Snippet', id, projectId }, request)
    return id
  })
}

/** The id of a project that is not about to be deleted. @throws ApiError 404 */
async function heldProjectId(tx: Tx, project: Project): Promise<number> {
  await holdTree(tx, project.namespace_id)
  const row = await projectById(tx, project.id)
  if (!row || row.pending_delete) throw notFound('Project')
  return row.id
}

/**
 * Creates a snippet with its repository and one commit (contract 3.12). Until the commit is recorded, nothing serves the snippet;
 * when the commit fails, the snippet is deleted.
 * @throws ApiError 400, 403, 409, 422, 429
 */
export async function createSnippet(platform: Platform, creation: Creation, params: NewSnippet) {
  const { actor, request, project } = creation
  if (!project && (actor.external || actor.bot)) throw forbidden()
  const files = filesOf(params)
  const settings = await platform.settings.current()
  const limit = {
    name: 'snippets_create',
    requests: settings.snippet_create_limit_per_hour,
    periodSeconds: hourSeconds,
  }
  await limitRequests(platform, actor.userId, limit)
  const visibility = params.visibility ?? defaultVisibility(platform, actor, settings)
  const [paths, contents] = [files.map((file) => file.file_path), files.map((file) => file.content)]
  requireLengths({ ...params, paths, contents }, settings)
  requireAllowed(platform, visibility, actor, settings)
  requireFiles(files)
  if (visibility === 'public') {
    const text = [params.description ?? '', ...contents].join('\n')
    await checkPublished(platform, { kind: 'snippet', action: 'create', title: params.title, text, actor, request })
  }
  const id = await insertRows(platform, creation, { ...params, visibility })
  const actions = files.map((file) => ({ ...file, action: 'create' as const }))
  const build = (source: CommitBase) => changesOf(source, actions)
  try {
    await writeSnippet(platform, id, actor, { verb: 'creating', message: 'Initial commit', build })
  } catch (error) {
    // What cannot be removed now, a job removes later.
    await removeSnippets(platform, [id]).catch((cause) => {
      platform.log.warn({ err: cause, snippet: id }, 'an incomplete snippet could not be removed')
    })
    throw error
  }
  const row = await snippetById(platform.database.read, id)
  if (!row) throw notFound('Snippet')
  return row
}
