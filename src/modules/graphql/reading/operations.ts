import type { Operation } from '../../../api/index.ts'
import { branches } from '../../branches/index.ts'
import { features } from '../../features/index.ts'
import { groups } from '../../groups/index.ts'
import { issues } from '../../issues/index.ts'
import { labels } from '../../labels/index.ts'
import { members } from '../../members/index.ts'
import { mergeRequests } from '../../merge-requests/index.ts'
import { metadata } from '../../metadata/index.ts'
import { milestones } from '../../milestones/index.ts'
import { namespaces } from '../../namespaces/index.ts'
import { pipelines } from '../../pipelines/index.ts'
import { projects } from '../../projects/index.ts'
import { users } from '../../users/index.ts'

/** The operations of the modules of which fields are read. */
export const operations: readonly Operation[] = [
  ...[branches, features, groups, issues, labels, members, mergeRequests, metadata, milestones, namespaces],
  ...[pipelines, projects, users],
].flatMap((module) => module.operations)

const byId = new Map(operations.map((operation) => [operation.id, operation]))

/** An operation by its id, for those that are declared for several subjects at once. */
export function named(id: string): Operation {
  const operation = byId.get(id)
  if (!operation) throw new Error(`no operation is named ${id}`)
  return operation
}
