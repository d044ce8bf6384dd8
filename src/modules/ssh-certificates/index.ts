import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { certificateOwner, type HeldCertificate, ownerOfHeld } from './sign-in.ts'

/** Authorities whose SSH certificates top-level groups accept (contract 26.12). */
export const sshCertificates: Module = {
  name: 'ssh-certificates',
  tags: { 'SSH certificates': 'Authorities whose certificates open the projects of a top-level group over SSH.' },
  operations: Object.values(operations),
}
