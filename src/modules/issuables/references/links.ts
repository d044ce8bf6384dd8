import type { Actor } from '../../../api/index.ts'
import { valuesByKey } from '../../../infra/grouping/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { groupsByIds } from '../../groups/index.ts'
import { projectsByIds } from '../../projects/index.ts'
import { answersOf, type Place } from '../answers.ts'
import type { Issuable } from '../issuable.ts'
import { type Home, placedReferences } from './paths.ts'
import { referencesIn, signs } from './text.ts'

const sections = { Issue: 'issues', MergeRequest: 'merge_requests', Epic: 'epics' } as const

const keyOf = (type: Issuable['type'], { projectId, groupId, iid }: Pick<Place, 'iid'> & Partial<Issuable>) =>
  `${type} ${type === 'Epic' ? groupId : projectId} ${iid}`

/** Those of these references whose targets the caller may read, by type with one query each. */
async function readableAmong(platform: Platform, actor: Actor, placed: Awaited<ReturnType<typeof placedReferences>>) {
  const { read } = platform.database
  const readable = new Set<string>()
  const byType = valuesByKey(
    placed,
    ({ reference }) => reference.type,
    ({ place }) => place,
  )
  for (const [type, places] of byType) {
    const answers = answersOf(platform, type)
    const targets = (await answers?.byPlaces(read, places)) ?? []
    const ids = await answers?.readable(
      platform,
      actor,
      targets.map(({ id }) => id),
    )
    for (const target of targets) if (ids?.has(target.id)) readable.add(keyOf(type, target))
  }
  return placed.filter(({ reference, place }) => readable.has(keyOf(reference.type, place)))
}

/**
 * Where the short references of a text lead, such as `#1` and `group/project!2`, to issuables that the caller may read (contract 25,
 * x.markdown). @param most references beyond these lead nowhere @returns paths on this server, by the reference in lower case
 */
export async function linksOfReferences(
  platform: Platform,
  actor: Actor,
  text: string,
  home: Home,
  most?: number,
): Promise<ReadonlyMap<string, string>> {
  const { read } = platform.database
  const references = referencesIn(text, platform.externalUrl, most)
  if (references.length === 0) return new Map()
  const readable = await readableAmong(platform, actor, await placedReferences(read, references, home))
  const ids = (of: 'projectId' | 'groupId') => [...new Set(readable.flatMap(({ place }) => place[of] ?? []))]
  const [projects, groups] = [await projectsByIds(read, ids('projectId')), await groupsByIds(read, ids('groupId'))]
  const pathOfProject = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  const pathOfGroup = new Map([...groups.values()].map(({ id, full_path }) => [id, `groups/${full_path}`]))
  return new Map(
    readable.map(({ reference: { type, path, iid }, place }) => {
      const parent = place.projectId ? pathOfProject.get(place.projectId) : pathOfGroup.get(place.groupId ?? 0)
      return [`${path ?? ''}${signs[type]}${iid}`.toLowerCase(), `/${parent}/-/${sections[type]}/${iid}`]
    }),
  )
}
