import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { sweepTopicAvatars, topicAvatarCheck } from './topics.ts'

export { topicIds } from './assignments.ts'
export { countProjects, topicsWithAvatar } from './store.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A topic takes the projects of another one, which is deleted afterwards. */
    'topics.merging': { sourceId: number; targetId: number }
  }
}

/** Topics, by which projects are found (contract 21). */
export const topics: Module = {
  name: 'topics',
  tags: { Topics: 'Topics, by which projects are found.' },
  operations: Object.values(operations),
  jobs: [sweepTopicAvatars],
  checks: [topicAvatarCheck],
}
