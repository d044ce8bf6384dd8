import {
  failure,
  lengthProblems,
  type PageRequest,
  pageOfList,
  recordNotFound,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { BlockedAddress, checkLiteralHost } from '../../infra/net/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { outboundPolicy, type Project } from '../projects/index.ts'
import { holdRulesOf } from '../protected-branches/index.ts'
import type { NewStatusCheck, StatusCheckChanges } from './params.ts'
import { ExternalStatusCheck } from './present.ts'
import * as store from './store.ts'
import type { StatusCheckRow } from './tables.ts'

/** Status checks of one project (contract 24, Limits). */
export const mostChecks = 50

const longest = 255
const longestSecret = 2048

/** 422 with full sentences (contract 24, x.status_checks_create). */
const refusal = (sentences: readonly string[]) => failure(422, sentences)

/** A check of a project. @throws ApiError 404 */
export async function requireCheck(db: Reader, projectId: number, id: number): Promise<StatusCheckRow> {
  const row = await store.statusCheckById(db, id)
  if (row?.project_id !== projectId) throw recordNotFound()
  return row
}

/** Presents a check as it is in this transaction. */
async function presented(tx: Tx, row: StatusCheckRow) {
  const [check] = await store.withBranches(tx, [row])
  return ExternalStatusCheck.present(check ?? { ...row, branches: [] })
}

/** A page of the checks of a project, by id (contract 24, x.status_checks_list). */
export async function listChecks({ database }: Platform, project: Project, page: PageRequest) {
  const found = pageOfList(await store.checksOf(database.read, [project.id]), page)
  return { ...found, items: found.items.map((check) => ExternalStatusCheck.present(check)) }
}

/** Why requests cannot be sent to an address; undefined when they can. Names are resolved when it is used. */
async function reasonAgainst({ settings }: Platform, text: string): Promise<string | undefined> {
  // The parser would drop line ends and tabs, and trim blanks.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (!url) return 'URI is invalid'
  if (!['http:', 'https:'].includes(url.protocol)) return 'Only allowed schemes are http, https'
  try {
    checkLiteralHost(url, outboundPolicy(await settings.current()))
    return undefined
  } catch (error) {
    if (!(error instanceof BlockedAddress)) throw error
    return error.message
  }
}

/** @throws ApiError 422 with all problems of the values that are given */
async function requireValid(platform: Platform, { name, external_url: url, shared_secret }: StatusCheckChanges) {
  const addressProblems = url === undefined ? [] : textProblems(url, longest)
  const reason = url === undefined || addressProblems.length > 0 ? undefined : await reasonAgainst(platform, url)
  const sentences = [
    ...(name === undefined ? [] : textProblems(name, longest)).map((problem) => `Name ${problem}`),
    ...addressProblems.map((problem) => `External url ${problem}`),
    ...(reason === undefined ? [] : [`External url is blocked: ${reason}`]),
    ...lengthProblems(shared_secret ?? '', longestSecret).map((problem) => `Shared secret ${problem}`),
  ]
  if (sentences.length > 0) throw refusal(sentences)
}

/** @throws ApiError 422 for ids of none */
async function requireBranches(tx: Tx, project: Project, ids: readonly number[]): Promise<number[]> {
  const wanted = [...new Set(ids)]
  const found = await holdRulesOf(tx, project.id, wanted)
  if (found.length < wanted.length) throw refusal(['all protected branches must exist within the project'])
  return found
}

function asTaken(error: unknown): unknown {
  if (isUniqueViolation(error, 'external_status_checks_name_unique')) return refusal(['Name has already been taken'])
  return isUniqueViolation(error, 'external_status_checks_external_url_unique')
    ? refusal(['External url has already been taken'])
    : error
}

/** A secret opens only as that of its check. */
export const secretContext = (checkId: number) => `external_status_checks:${checkId}:shared_secret`

/** Writes a check, with the error for a name or an address that another one has. */
async function write<T>({ database }: Platform, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.write(work).catch((error: unknown) => Promise.reject(asTaken(error)))
}

/** Adds a check to a project (contract 24, x.status_checks_create). @throws ApiError 422 */
export async function createCheck(platform: Platform, project: Project, act: Act, given: NewStatusCheck) {
  await requireValid(platform, given)
  const sealer = await platform.secrets.sealer()
  const { name, external_url, shared_secret, protected_branch_ids = [] } = given
  const moment = now(platform.clock)
  return write(platform, async (tx) => {
    await acquireLock(tx, `external_status_checks:${project.id}`)
    if ((await store.countStatusChecks(tx, project.id)) >= mostChecks) {
      throw refusal([`Maximum number of external status checks (${mostChecks}) exceeded`])
    }
    const branches = await requireBranches(tx, project, protected_branch_ids)
    const row = await store.insertStatusCheck(tx, {
      ...{ project_id: project.id, name, external_url, sealed_secret: null },
      ...{ created_at: moment, updated_at: moment },
    })
    const sealed_secret = shared_secret ? sealer.seal(shared_secret, secretContext(row.id)) : null
    if (sealed_secret !== null) await store.updateStatusCheckRow(tx, row.id, { sealed_secret })
    await store.setBranches(tx, row.id, branches)
    await act(tx, row.id)
    return presented(tx, { ...row, sealed_secret })
  })
}

/** Changes a check (contract 24, x.status_checks_update). @throws ApiError 404, 422 */
export async function updateCheck(
  platform: Platform,
  project: Project,
  act: Act,
  { id, changes }: { id: number; changes: StatusCheckChanges },
) {
  await requireCheck(platform.database.read, project.id, id)
  await requireValid(platform, changes)
  const sealer = await platform.secrets.sealer()
  const { name, external_url, shared_secret, protected_branch_ids } = changes
  return write(platform, async (tx) => {
    await claim(tx, 'external_status_checks', () => requireCheck(tx, project.id, id))
    const branches = protected_branch_ids && (await requireBranches(tx, project, protected_branch_ids))
    const sealed = shared_secret ? sealer.seal(shared_secret, secretContext(id)) : null
    const row = await store.updateStatusCheckRow(tx, id, {
      ...(name === undefined ? {} : { name }),
      ...(external_url === undefined ? {} : { external_url }),
      ...(shared_secret === undefined ? {} : { sealed_secret: sealed }),
      updated_at: now(platform.clock),
    })
    if (!row) throw recordNotFound()
    if (branches) await store.setBranches(tx, id, branches)
    await act(tx, id)
    return presented(tx, row)
  })
}

/** Deletes a check with its answers (contract 24, x.status_checks_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteCheck(
  { database }: Platform,
  project: Project,
  { id, unmodified, act }: { id: number; unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'external_status_checks', () => requireCheck(tx, project.id, id))
    unmodified(row.updated_at)
    await store.removeStatusCheck(tx, id)
    await act(tx, id)
  })
}
