import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { removeDocumentsJob, stateProblems, sweepDocumentsJob } from './removal.ts'

export { removeTerraformStates } from './removal.ts'
export { stateVersionKeys, stateVersionsOfProject } from './store.ts'

/** States of Terraform and OpenTofu: the server of their `http` backend (contract 26.15). */
export const terraformStatesModule: Module = {
  name: 'terraform-states',
  tags: { 'Terraform states': 'Documents of the `http` backend of Terraform and OpenTofu, with versions and locks.' },
  operations: Object.values(operations),
  jobs: [removeDocumentsJob, sweepDocumentsJob],
  checks: [stateProblems],
}
