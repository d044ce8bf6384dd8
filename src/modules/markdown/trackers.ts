import type { RenderOptions } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { trackersOf } from '../integrations/index.ts'
import type { Project } from '../projects/index.ts'

type Lookup = NonNullable<RenderOptions['reference']>

/** How references to trackers elsewhere are found while a text is rendered, and what they are to. */
export type TrackerLinks = { others?: NonNullable<RenderOptions['others']>; withTrackers(own: Lookup): Lookup }

/** References to the trackers of a project become links where they are to nothing here. */
export async function linksToTrackers(platform: Platform, project: Project | null): Promise<TrackerLinks> {
  const trackers = project ? await trackersOf(platform, project) : []
  if (trackers.length === 0) return { withTrackers: (own) => own }
  const addresses = new Map<string, string>()
  return {
    others(text) {
      const found = trackers.flatMap((find) => find(text))
      for (const { found: reference, href } of found) addresses.set(reference, href)
      return found
    },
    withTrackers: (own) => (found) => {
      const href = addresses.get(found)
      return own(found) ?? (href === undefined ? null : { href })
    },
  }
}
