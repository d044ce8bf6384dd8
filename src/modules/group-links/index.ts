import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Groups of sign-in providers whose users get a role in a group (contract 25). */
export const groupLinks: Module = {
  name: 'group-links',
  tags: { 'Group links': 'LDAP and SAML groups whose users get a role in a group.' },
  operations: Object.values(operations),
}
