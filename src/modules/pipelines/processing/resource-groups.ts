import type { Job } from '../../../platform/index.ts'
import { transitionJob } from './job-changes.ts'
import { kinds, type ResourceGroup } from './later.ts'
import { nextOfResourceGroup } from './store/states.ts'

/** Queues the oldest waiting job of a resource group when none holds the resource (contract 04, `resource_group`). */
export const assignResourceJob: Job<ResourceGroup> = {
  kind: kinds.assignResource,
  queue: 'pipelines',
  async run(platform, { projectId, group }) {
    const next = await nextOfResourceGroup(platform.database.read, projectId, group)
    if (next) await platform.database.write((tx) => transitionJob(platform, tx, next, 'enqueue'))
  },
}
