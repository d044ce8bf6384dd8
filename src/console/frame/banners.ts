import { wildcardMatcher } from '../../infra/wildcards/index.ts'
import { broadcastMessagesList } from '../operations.ts'
import type { Visit } from '../page.ts'

/** A broadcast message that stands on a page now. */
export type Banner = { id: number; message: string; theme: string; isDismissable: boolean; isNotification: boolean }

type Access = { access_level?: number } | null | undefined

/** The level of the caller in the project of the page; 0 elsewhere. */
function levelOf({ project }: Partial<Visit>): number {
  const permissions = (project as { permissions?: { project_access?: Access; group_access?: Access } })?.permissions
  const levels = [permissions?.project_access, permissions?.group_access].map((access) => access?.access_level ?? 0)
  return Math.max(...levels)
}

function isForPath(pattern: string | null, path: string): boolean {
  return !pattern || wildcardMatcher(pattern.toLowerCase())(path.toLowerCase())
}

/**
 * The broadcast messages for a page, by its path and the role of the caller (contract 06, Delivery).
 * @param dismissed ids of messages that the browser has dismissed
 */
export async function bannersOf(visit: Visit, dismissed: ReadonlySet<number>): Promise<readonly Banner[]> {
  const found = await visit.find(broadcastMessagesList, { active: true, per_page: 100 })
  const [path = ''] = visit.path.split('?', 1)
  const level = levelOf(visit)
  return (found?.items ?? [])
    .filter(({ id }) => !dismissed.has(id))
    .filter(({ target_path, target_access_levels: levels }) => {
      return isForPath(target_path, path) && (levels.length === 0 || levels.includes(level))
    })
    .map(({ id, message, theme, broadcast_type: type, dismissable }) => ({
      ...{ id, message, theme: theme ?? 'indigo' },
      isDismissable: dismissable === true || type === 'notification',
      isNotification: type === 'notification',
    }))
}
