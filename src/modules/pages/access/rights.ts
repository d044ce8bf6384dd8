import { type Actor, anonymous, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { canSee, canUseFeature, type ProjectRow, settingOf, withRole } from '../../projects/index.ts'

/** Whether a visitor may see the site of a project now (contract 24, Pages: serving and safety). */
export async function mayVisit(platform: Platform, row: ProjectRow, visitor: Actor): Promise<boolean> {
  const level = settingOf(row, 'pages_access_level')
  if (level === 'disabled') return false
  if (level === 'public' || !platform.config.pagesAccessControl) return true
  const project = await withRole(platform.database.read, row, visitor, dayOf(platform.clock.now()))
  return canSee(visitor, project) && canUseFeature(visitor, project, 'pages')
}

/** Whether everyone may see it. */
export const isPublic = (platform: Platform, row: ProjectRow): Promise<boolean> => mayVisit(platform, row, anonymous)
