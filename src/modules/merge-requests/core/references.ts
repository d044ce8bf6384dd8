import type { ProjectRow } from '../../projects/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** From where references are shown: the project itself, a group above it, or anywhere. */
export type Viewpoint = { kind: 'project' } | { kind: 'group'; fullPath: string } | { kind: 'instance' }

/** How a merge request is referred to (contract 19, `references`; 16, `references.relative`). */
export function referencesOf({ iid }: Pick<MergeRequestRow, 'iid'>, { full_path: path }: ProjectRow, from: Viewpoint) {
  const short = `!${iid}`
  const full = `${path}${short}`
  const ofGroup = from.kind === 'group' && path.startsWith(`${from.fullPath}/`)
  const relative = ofGroup ? full.slice(from.fullPath.length + 1) : from.kind === 'project' ? short : full
  return { short, relative, full }
}
