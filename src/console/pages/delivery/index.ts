import type { Page } from '../../page.ts'
import { deployment } from './deployment.tsx'
import { environment } from './environment.tsx'
import { changeEnvironment, newEnvironment, oldEnvironments } from './forms.tsx'
import { environments } from './list.tsx'
import { resourceGroup, resourceGroups } from './resource-groups.tsx'
import { site } from './site.tsx'

/** The pages about environments, deployments, and the site that jobs publish. */
export const deliveryPages: readonly Page[] = [
  ...[environments, newEnvironment, oldEnvironments, environment, changeEnvironment, deployment],
  site,
]

/** The pages about what jobs use one after another. */
export const resourcePages: readonly Page[] = [resourceGroups, resourceGroup]
