import type { Level, Visit } from '../page.ts'
import { isOfServer } from '../routes.ts'

/** Where the pages of a project, of a group or of the server begin. */
export function baseOf({ project, group }: Visit, at: Level): string {
  if (at === 'project') return `/${project.path_with_namespace}`
  return at === 'group' ? `/groups/${group.full_path}` : ''
}

/** The address of a page without parameters in its path. */
export function addressOfPage(visit: Visit, at: Level, path: string): string {
  const base = baseOf(visit, at)
  if (path === '') return base === '' ? '/' : base.replace(/^\/groups\//, '/')
  if (at === 'instance') return isOfServer(path) ? `/${path}` : `/-/${path}`
  return `${base}/-/${path}`
}

/** The full path of the project or group of a page; null for pages of the server. */
export function fullPathOf({ project, group }: Visit, at: Level): string | null {
  if (at === 'project') return project.path_with_namespace ?? null
  return at === 'group' ? (group.full_path ?? null) : null
}

/** The address that asks to sign in, and leads back. @param again also those who are signed in */
export const signInAddress = (path: string, again = false) =>
  `/users/sign_in?return_to=${encodeURIComponent(path)}${again ? '&again=1' : ''}`

/** The only page of users who have to have a second factor: it sets it up. */
export const twoFactorPath = 'profile/two_factor'
