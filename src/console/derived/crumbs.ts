import type { Visit } from '../page.ts'
import { words } from '../parts/words.ts'
import type { KnownAny } from './declared.ts'
import { rootOf } from './place.ts'

type Crumbs = (readonly [label: string, href: string])[]

/** The steps to the list of a family that is below another one. */
export function crumbsOf(visit: Visit, family: KnownAny): Crumbs {
  const segments = family.path.split('/')
  const root = rootOf(visit, family).split('/')
  const addressAt = (index: number) => root.slice(0, root.length - segments.length + index + 1).join('/')
  const steps: Crumbs = []
  for (const [index, segment] of segments.entries()) {
    if (!segment.startsWith(':')) continue
    steps.push([words(segments[index - 1] ?? ''), addressAt(index - 1)])
    steps.push([visit.params[segment.slice(1)] ?? '', addressAt(index)])
  }
  return steps
}

/** The steps to one of a family. */
export function crumbsOfOne(visit: Visit, family: KnownAny): Crumbs {
  return [...crumbsOf(visit, family), [family.title, rootOf(visit, family)]]
}
