import type { Page } from '../../page.ts'
import { deletion } from './deletion.tsx'
import { cleanupPolicy } from './policy.tsx'
import { groupRepositories, repositories } from './repositories.tsx'
import { repository } from './repository.tsx'
import { tag } from './tag.tsx'

/** The pages about container images, in the order of the navigation. */
export const registryPages: readonly Page[] = [
  ...[repositories, groupRepositories, cleanupPolicy],
  ...[repository, deletion, tag],
]
