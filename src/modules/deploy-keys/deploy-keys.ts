import { createInstanceKeys, type InstanceKeyNeeds, type InstanceKeys } from './instance-keys.ts'
import { createProjectKeys, type ProjectKeyNeeds, type ProjectKeys } from './project-keys.ts'

export type DeployKeyNeeds = InstanceKeyNeeds & ProjectKeyNeeds

/** SSH keys that let a machine into repositories (contract 1.22–1.29, x.deploy_key_enable). */
export type DeployKeys = { ofInstance: InstanceKeys; ofProject: ProjectKeys }

export function createDeployKeys(needs: DeployKeyNeeds): DeployKeys {
  return { ofInstance: createInstanceKeys(needs), ofProject: createProjectKeys(needs) }
}
