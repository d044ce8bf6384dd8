import { forbidden, nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { createCertificate, deleteCertificate, listCertificates, SshCertificate } from './certificates.ts'

/** A top-level group; subgroups are forbidden to all. */
const topLevelGroup: typeof group = {
  ...group,
  async authorize(actor, found, ability) {
    await group.authorize(actor, found, ability)
    if (found.parent_id !== null) throw forbidden()
  },
}

const shared = {
  tag: 'SSH certificates',
  subject: topLevelGroup,
  allow: 'admin_ssh_certificates',
  tier: 'premium',
} as const
const list = '/groups/:id/ssh_certificates'

export const sshCertificatesList = operation({
  ...shared,
  id: 'ssh_certificates.list',
  contract: 'x.ssh_certificate_list',
  method: 'GET',
  path: list,
  summary: 'List the authorities whose SSH certificates a top-level group accepts',
  scopes: reading,
  result: [200, pageOf(SshCertificate)],
  run: ({ platform, subject, page }) => listCertificates(platform, subject, page),
})

export const sshCertificatesCreate = operation({
  ...shared,
  id: 'ssh_certificates.create',
  contract: 'x.ssh_certificate_create',
  method: 'POST',
  path: list,
  summary: 'Accept the SSH certificates of an authority',
  description:
    'Certificates of users that the key has signed open the projects of the group to its enterprise users. The key id of a ' +
    'certificate is the user name or a confirmed address. A group has up to 20 authorities.',
  scopes: writing,
  params: {
    key: t.required(t.string({ description: 'The public key of the authority, one line. Unique on the server.' })),
    title: t.required(t.string({ description: 'Up to 256 characters.' })),
  },
  result: [201, SshCertificate],
  run: ({ platform, subject, params, act }) => createCertificate(platform, subject, params, act),
})

export const sshCertificatesDelete = operation({
  ...shared,
  id: 'ssh_certificates.delete',
  contract: 'x.ssh_certificate_delete',
  method: 'DELETE',
  path: `${list}/:ssh_certificates_id`,
  summary: 'Stop accepting the SSH certificates of an authority',
  scopes: writing,
  params: { ssh_certificates_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteCertificate(platform, subject, params.ssh_certificates_id, { unmodified, act }),
})
