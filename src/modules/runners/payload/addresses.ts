import type { Platform } from '../../../platform/index.ts'
import { registryHost } from '../../../platform/index.ts'
import { settingsOf } from '../../projects/index.ts'
import type { JobFacts } from './facts.ts'

/** The user name with which jobs authenticate. */
export const jobUsername = 'gitlab-ci-token'

/** Address from which a job clones its project, with the job's token. */
export function repositoryUrl({ externalUrl }: Platform, { project, token }: JobFacts): string {
  const { protocol, host, pathname } = new URL(externalUrl)
  return `${protocol}//${jobUsername}:${token}@${host}${pathname.replace(/\/$/, '')}/${project.full_path}.git`
}

/** Host of the container registry that a job may use; null where there is none. */
export function registryOf(platform: Platform, { project }: Pick<JobFacts, 'project'>): string | null {
  if (!platform.config.registryEnabled) return null
  return settingsOf(project).container_registry_access_level === 'disabled' ? null : registryHost(platform)
}
