import { dayOf } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { markdownToText } from '../../infra/markdown/index.ts'
import { wildcardMatcher } from '../../infra/wildcards/index.ts'
import type { AppliedChange, Platform, RefListener } from '../../platform/index.ts'
import { roleInProject } from '../access/index.ts'
import { isFeatureOn } from '../features/index.ts'
import { type ProjectRow, projectById } from '../projects/index.ts'
import { isActive } from './present.ts'
import { messagesEndingAfter } from './store.ts'
import type { BroadcastMessageRow } from './tables.ts'

/** Whether a path matches the pattern of a message; `*` is any text, case does not matter (contract 06, Delivery). */
function matchesPath(pattern: string | null, path: string): boolean {
  return !pattern || wildcardMatcher(pattern.toLowerCase())(path.toLowerCase())
}

/** Null for a writer that is no user, such as a deploy key. */
const userOf = ({ writer }: AppliedChange) => (writer.deployKeyId === undefined ? writer.userId : null)

/** The level of the writer; 0 for one that is no user. */
async function roleOf({ database, clock }: Platform, applied: AppliedChange, project: ProjectRow): Promise<number> {
  const userId = userOf(applied)
  return userId === null ? 0 : (await roleInProject(database.read, userId, project, dayOf(clock.now()))).level
}

const hasTargets = ({ target_access_levels: levels }: BroadcastMessageRow) => levels.length > 0

async function forRole(platform: Platform, applied: AppliedChange, project: ProjectRow, all: BroadcastMessageRow[]) {
  const about = { userId: userOf(applied), projectId: project.id }
  if (!all.some(hasTargets) || !(await isFeatureOn(platform, 'role_targeted_broadcast_messages', about))) return all
  const level = await roleOf(platform, applied, project)
  return all.filter((one) => !hasTargets(one) || one.target_access_levels.includes(level))
}

/** Shows the active banners to the pusher, the oldest first (contract 06, Delivery). */
export const bannerListener: RefListener = {
  async afterPush(platform, applied) {
    const { database, clock } = platform
    const moment = now(clock)
    const { project_id: projectId } = applied.row
    const messages = await messagesEndingAfter(database.read, moment)
    const active = messages.filter((one) => one.broadcast_type === 'banner' && isActive(one, moment))
    const project = projectId === null || active.length === 0 ? null : await projectById(database.read, projectId)
    if (!project) return []
    const here = active.filter(({ target_path: pattern }) => matchesPath(pattern, `/${project.full_path}`))
    const shown = await forRole(platform, applied, project, here)
    return shown.flatMap(({ message }) => ['', ...markdownToText(message).split('\n'), ''])
  },
}
