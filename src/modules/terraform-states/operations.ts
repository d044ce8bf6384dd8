import { header, nothing, pageOf, raw, reading, statusNumber, streamOf, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { removeState, removeVersion, writeState } from './changes.ts'
import { lockState, unlockState } from './locks.ts'
import { TerraformLock, TerraformState, TerraformStateVersion } from './present.ts'
import { listStates, listVersions, readState, readVersion } from './states.ts'

const shared = { tag: 'Terraform states', subject: project, jobToken: true, basic: true } as const
const read = { ...shared, allow: 'read_terraform_states', scopes: reading } as const
const write = { ...shared, allow: 'admin_terraform_states', scopes: writing } as const
const list = '/projects/:id/terraform/state'
const one = `${list}/:name` as const
const lock = `${one}/lock` as const
const version = `${one}/versions/:serial` as const
const document = { ...raw, mediaType: 'application/json' } as const

const lockId = t.string({ maxLength: 255, description: 'The id of the lock that the caller holds.' })
const serial = { serial: t.id() }
const shortText = (description: string) => t.required(t.string({ maxLength: 255, description }))

export const terraformStatesList = operation({
  ...read,
  id: 'terraform_states.list',
  contract: 'x.tf_state_list',
  method: 'GET',
  path: list,
  summary: 'List the Terraform states of a project',
  result: [200, pageOf(TerraformState)],
  run: ({ platform, subject, page }) => listStates(platform, subject, page),
})

export const terraformStatesGet = operation({
  ...read,
  id: 'terraform_states.get',
  contract: 'x.tf_state_get',
  method: 'GET',
  path: one,
  summary: 'Get a Terraform state',
  description: 'The newest document, byte for byte.',
  params: { ID: lockId },
  result: [200, document],
  answers: { 204: 'The state has no version yet.' },
  async run({ platform, subject, params, setStatus }) {
    const found = await readState(platform, subject, params.name)
    if (!found) setStatus(204)
    return found ?? { headers: {}, body: '' }
  },
})

export const terraformStatesPut = operation({
  ...write,
  id: 'terraform_states.put',
  contract: 'x.tf_state_put',
  method: 'POST',
  path: one,
  summary: 'Store a Terraform state',
  description: 'The body is the document, which becomes the newest version.',
  stream: 'application/octet-stream',
  params: { ID: lockId },
  result: [200, statusNumber],
  answers: { 204: 'The body is empty; nothing is stored.' },
  async run({ platform, subject, params: { name, ID }, request, setStatus }) {
    const md5 = header(request, 'content-md5')
    const isStored = await writeState(platform, subject, { name, lockId: ID, content: streamOf(request), md5 })
    if (!isStored) setStatus(204)
    return 200
  },
})

export const terraformStatesDelete = operation({
  ...write,
  id: 'terraform_states.delete',
  contract: 'x.tf_state_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a Terraform state',
  description: 'Deletes it with all its versions.',
  params: { ID: lockId },
  result: [200, statusNumber],
  async run({ platform, subject, params: { name, ID }, unmodified }) {
    await removeState(platform, subject, { name, lockId: ID, unmodified })
    return 200
  },
})

export const terraformStatesLock = operation({
  ...write,
  id: 'terraform_states.lock',
  contract: 'x.tf_state_lock',
  method: 'POST',
  path: lock,
  summary: 'Lock a Terraform state',
  params: {
    ID: t.required(t.string({ maxLength: 255, description: 'An id that the caller has made.' })),
    Operation: shortText('What the caller does.'),
    Info: t.required(t.string({ maxLength: 4096 })),
    Who: shortText('Not stored: the user of the credential holds the lock.'),
    Version: shortText('That of the program.'),
    Created: shortText('Not stored: the time of the lock is that of the server.'),
    Path: t.required(t.string({ maxLength: 4096 })),
  },
  result: [200, TerraformLock],
  answers: { 409: ['The lock that is held, by another id.', TerraformLock] },
  async run({ platform, subject, actor, params, setStatus }) {
    const { name, ID: id, Operation, Info, Version, Path } = params
    const given = { name, id, details: { Operation, Info, Version, Path } }
    const { lock: held, isOwn } = await lockState(platform, subject, actor, given)
    if (!isOwn) setStatus(409)
    return held
  },
})

export const terraformStatesUnlock = operation({
  ...write,
  id: 'terraform_states.unlock',
  contract: 'x.tf_state_unlock',
  method: 'DELETE',
  path: lock,
  summary: 'Unlock a Terraform state',
  description: 'Without an id, the lock is ended whichever id it has.',
  params: { ID: lockId },
  result: [200, statusNumber],
  answers: { 409: ['The lock has another id.', statusNumber] },
  async run({ platform, subject, params, setStatus }) {
    const isUnlocked = await unlockState(platform, subject, params.name, params.ID)
    const status = isUnlocked ? 200 : 409
    setStatus(status)
    return status
  },
})

export const terraformVersionsList = operation({
  ...read,
  id: 'terraform_state_versions.list',
  contract: 'x.tf_version_list',
  method: 'GET',
  path: `${one}/versions`,
  summary: 'List the versions of a Terraform state',
  description: 'The newest first, without their documents.',
  result: [200, pageOf(TerraformStateVersion)],
  run: ({ platform, subject, params, page }) => listVersions(platform, subject, params.name, page),
})

export const terraformVersionsGet = operation({
  ...read,
  id: 'terraform_state_versions.get',
  contract: 'x.tf_version_get',
  method: 'GET',
  path: version,
  summary: 'Get a version of a Terraform state',
  params: serial,
  result: [200, document],
  run: ({ platform, subject, params }) => readVersion(platform, subject, params.name, params.serial),
})

export const terraformVersionsDelete = operation({
  ...write,
  id: 'terraform_state_versions.delete',
  contract: 'x.tf_version_delete',
  method: 'DELETE',
  path: version,
  summary: 'Delete a version of a Terraform state',
  params: serial,
  result: [204, nothing],
  run: ({ platform, subject, params: { name, serial: number }, unmodified }) =>
    removeVersion(platform, subject, { name, serial: number, unmodified }),
})
