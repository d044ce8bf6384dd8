import type { Page } from '../../page.ts'
import { deployment } from './deployment.tsx'
import { environment } from './environment.tsx'
import { changeEnvironment, newEnvironment, oldEnvironments } from './forms.tsx'
import { environments } from './list.tsx'
import { resourceGroup, resourceGroups } from './resource-groups.tsx'

/** The pages about environments and deployments. */
export const deliveryPages: readonly Page[] = [
  ...[environments, newEnvironment, oldEnvironments, environment, changeEnvironment, deployment],
]

/** The pages about what jobs use one after another. */
export const resourcePages: readonly Page[] = [resourceGroups, resourceGroup]
