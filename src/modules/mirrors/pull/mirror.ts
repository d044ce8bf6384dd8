import { type Actor, failure, invalid, notFound, type ParamValues, t } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { changeSettings, type ProjectRow, settingsOf } from '../../projects/index.ts'
import { followingAddress, openAddress, readAddress, sealAddress, shownAddress, withLogin } from '../address.ts'
import { branchPattern, chosenBranches } from '../branch-filter.ts'
import { presentPullMirror } from '../present.ts'
import { runNow } from '../schedule.ts'
import { insertPullMirror, pullMirrorOf, updatePullMirror } from '../store.ts'
import type { PullMirrorRow } from '../tables.ts'

export const pullMirrorChanges = {
  enabled: t.boolean({ description: 'Whether the project is pulled. Default: false.' }),
  url: t.string({ description: 'May contain a user name and a password.' }),
  auth_user: t.string({ description: 'User name for the remote repository.' }),
  auth_password: t.string({ description: 'Password or token for the remote repository.' }),
  mirror_trigger_builds: t.boolean({ description: 'Whether pulled changes start pipelines.' }),
  only_mirror_protected_branches: t.boolean({ description: 'Whether only protected branches are pulled.' }),
  mirror_overwrites_diverged_branches: t.boolean({ description: 'Whether diverged branches are overwritten.' }),
  mirror_branch_regex: branchPattern,
}
type PullMirrorChanges = ParamValues<typeof pullMirrorChanges>

const table = 'pull_mirrors'
const notMirrored = () => failure(400, 'The project is not mirrored')
const blank = () => invalid({ url: ["can't be blank"] })

type AddressColumns = { url: string; sealed_url: string }

async function addressColumns(platform: Platform, address: URL, projectId: number): Promise<AddressColumns> {
  return { url: shownAddress(address), sealed_url: await sealAddress(platform, address, projectId) }
}

/** The address after a request; null when the request does not change it. @throws ApiError 400 */
async function changedAddress(
  platform: Platform,
  project: ProjectRow,
  before: PullMirrorRow | null,
  { url, auth_user: user, auth_password: password }: PullMirrorChanges,
): Promise<AddressColumns | null> {
  if (before && url === undefined && user === undefined && password === undefined) return null
  const current = before && (await openAddress(platform, before.sealed_url, project.id))
  if (!current && (url === undefined || url.trim() === '')) throw blank()
  const given = url === undefined ? current : await readAddress(platform, url)
  if (given === null) throw blank()
  if (typeof given === 'string') throw invalid({ url: [given] })
  return addressColumns(platform, withLogin(followingAddress(given, current), user, password), project.id)
}

type Change = {
  given: PullMirrorChanges
  address: AddressColumns | null
  branches: ReturnType<typeof chosenBranches>
  userId: number | null
}

async function writeRow(
  { clock }: Platform,
  tx: Tx,
  project: ProjectRow,
  { address, branches, userId }: Omit<Change, 'given'>,
): Promise<PullMirrorRow> {
  const moment = now(clock)
  const columns = {
    ...address,
    ...(branches.pattern === undefined ? {} : { mirror_branch_regex: branches.pattern }),
    user_id: userId,
    failures: 0,
    updated_at: moment,
  }
  const before = await pullMirrorOf(tx, project.id)
  const after = before
    ? await updatePullMirror(tx, before.id, columns)
    : address && (await insertPullMirror(tx, { ...columns, ...address, project_id: project.id, created_at: moment }))
  if (!after) throw notMirrored()
  return after
}

/** Whether and how a project is mirrored are settings of the project, which other operations change as well. */
async function writeSettings(
  { clock }: Platform,
  tx: Tx,
  project: ProjectRow,
  { given, branches, userId }: Change,
): Promise<ProjectRow> {
  const { enabled, mirror_trigger_builds, mirror_overwrites_diverged_branches } = given
  const changes = {
    mirror: enabled,
    mirror_user_id: userId,
    mirror_trigger_builds,
    mirror_overwrites_diverged_branches,
    only_mirror_protected_branches: branches.onlyProtected,
  }
  const changed = await changeSettings(tx, project.id, changes, now(clock))
  if (!changed) throw notFound('Project')
  return changed
}

async function write(platform: Platform, tx: Tx, project: ProjectRow, change: Change) {
  const wasOn = settingsOf(project).mirror
  const changed = await writeSettings(platform, tx, project, change)
  const mirror = await writeRow(platform, tx, project, change)
  const starts = settingsOf(changed).mirror && (!wasOn || change.address !== null)
  if (!starts) return presentPullMirror(mirror, changed)
  await runNow(platform, tx, table, [mirror.id])
  return presentPullMirror((await pullMirrorOf(tx, project.id)) ?? mirror, changed)
}

/** Gets the pull mirror of a project (contract 22, x.pmirror_get). @throws ApiError 400 when there is none */
export async function getPullMirror({ database }: Platform, project: ProjectRow) {
  const mirror = await pullMirrorOf(database.read, project.id)
  if (!mirror) throw notMirrored()
  return presentPullMirror(mirror, project)
}

/** Creates or changes the pull mirror; one that is enabled or gets another address runs at once (contract 22, x.pmirror_put). @throws ApiError 400 */
export async function putPullMirror(platform: Platform, project: ProjectRow, actor: Actor, given: PullMirrorChanges) {
  const { only_mirror_protected_branches: onlyProtected, mirror_branch_regex: pattern } = given
  const branches = chosenBranches(onlyProtected, pattern, 'only_mirror_protected_branches')
  const before = await pullMirrorOf(platform.database.read, project.id)
  const address = await changedAddress(platform, project, before, given)
  const userId = actor.kind === 'user' ? actor.userId : null
  return platform.database
    .write((tx) => write(platform, tx, project, { given, address, branches, userId }))
    .catch((error) => {
      // A concurrent request created one.
      throw isUniqueViolation(error, 'pull_mirrors_project_unique')
        ? invalid({ base: ['Project has already been taken'] })
        : error
    })
}

/** Answers `projects.pull_from`: sets up the pull mirror of a project at a checked address (contract 21, `import_url`). */
export const pullFrom: Ports['projects.pull_from'] = async (platform, tx, project, { address: given, userId }) => {
  const before = await pullMirrorOf(tx, project.id)
  const current = before && (await openAddress(platform, before.sealed_url, project.id))
  const address = await addressColumns(platform, followingAddress(new URL(given), current), project.id)
  const mirror = await writeRow(platform, tx, project, { address, branches: {}, userId })
  await changeSettings(tx, project.id, { mirror_user_id: userId }, now(platform.clock))
  if (settingsOf(project).mirror) await runNow(platform, tx, table, [mirror.id])
}

/** Pulls now, and resumes a mirror that stopped after many failures (contract 22, x.pmirror_start). @throws ApiError 400 */
export async function startPullMirror(platform: Platform, project: ProjectRow): Promise<void> {
  await platform.database.write(async (tx) => {
    const mirror = await pullMirrorOf(tx, project.id)
    if (!mirror || !settingsOf(project).mirror) throw notMirrored()
    await updatePullMirror(tx, mirror.id, { failures: 0 })
    await runNow(platform, tx, table, [mirror.id])
  })
}
