/** What holds of the settings about approvals, by what is stored and what is decided above. */
import { describe, expect, test } from 'vitest'
import type { GroupSettings } from '../../groups/index.ts'
import {
  type Above,
  type ApprovalKey,
  changesOfGroup,
  changesOfProject,
  noRestrictions,
  ofFreeTier,
  storedByGroup,
  storedByProject,
  viewOfKeys,
} from './keys.ts'

/** A project that stores the opposite of every default. */
const strict = {
  settings: {
    merge_requests_author_approval: true,
    merge_requests_disable_committers_approval: true,
    disable_overriding_approvers_per_merge_request: true,
    reset_approvals_on_push: false,
    selective_code_owner_removals: true,
    require_reauthentication_to_approve: true,
  },
}
const nothingAbove: Above = { instance: null, group: null }
const shown = (above: Above, own: Parameters<typeof viewOfKeys>[1]) =>
  Object.fromEntries(
    Object.entries(viewOfKeys(above, own)).map(([name, { value, inherited_from }]) => [name, inherited_from ?? value]),
  )

const stored = {
  ...{ allow_author_approval: true, allow_committer_approval: false },
  ...{ allow_overrides_to_approver_list_per_merge_request: false, retain_approvals_on_push: true },
  ...{ selective_code_owner_removals: true, require_password_to_approve: true },
  require_reauthentication_to_approve: true,
}

test('a project has what it stores', () => {
  expect(shown(nothingAbove, storedByProject(strict))).toEqual(stored)
})

test('a project of the free tier has two keys, and the others as they are without a restriction', () => {
  expect(shown(nothingAbove, ofFreeTier(storedByProject(strict)))).toEqual({
    ...stored,
    ...{ allow_committer_approval: true, allow_overrides_to_approver_list_per_merge_request: true },
    ...{ selective_code_owner_removals: false, require_password_to_approve: false },
    require_reauthentication_to_approve: false,
  })
})

describe('what is decided above', () => {
  const group = {
    ...{ allow_author_approval: false, allow_committer_approval: true, retain_approvals_on_push: false },
    ...{ selective_code_owner_removals: true, require_reauthentication_to_approve: true },
  } as GroupSettings

  test('by a group locks its restrictions alone', () => {
    expect(shown({ instance: null, group }, storedByProject(strict))).toEqual({
      ...stored,
      ...{ allow_author_approval: 'group', retain_approvals_on_push: 'group', require_password_to_approve: 'group' },
      require_reauthentication_to_approve: 'group',
    })
  })

  test('by the instance comes before a group', () => {
    const instance = { ...noRestrictions, prevent_merge_requests_author_approval: true }
    expect(shown({ instance, group: null }, storedByProject(strict))).toEqual({
      ...stored,
      allow_author_approval: 'instance',
    })
    expect(shown({ instance, group }, storedByProject(strict))).toMatchObject({
      ...{ allow_author_approval: 'instance', retain_approvals_on_push: 'group' },
    })
  })

  test('takes the value of the restriction', () => {
    const views = viewOfKeys({ instance: null, group }, storedByProject({ settings: {} }))
    const locked = { locked: true, inherited_from: 'group' }
    expect(views.allow_author_approval).toEqual({ value: false, ...locked })
    expect(views.require_password_to_approve).toEqual({ value: true, ...locked })
    expect(views.allow_committer_approval).toEqual({ value: true, locked: false, inherited_from: null })
  })

  test('is what a group stores, and is open where it stores nothing', () => {
    expect(shown(nothingAbove, storedByGroup(group))).toEqual({
      ...{ allow_author_approval: false, allow_committer_approval: true },
      ...{ allow_overrides_to_approver_list_per_merge_request: true, retain_approvals_on_push: false },
      ...{ selective_code_owner_removals: true, require_password_to_approve: true },
      require_reauthentication_to_approve: true,
    })
  })
})

test('changes are stored by the names of each level, but for keys that are locked', () => {
  const above = { instance: null, group: { allow_author_approval: false } as GroupSettings }
  const views = viewOfKeys(above, storedByProject({ settings: {} }))
  const given: Partial<Record<ApprovalKey, boolean>> = {
    ...{ allow_author_approval: true, allow_committer_approval: false, retain_approvals_on_push: true },
    selective_code_owner_removals: true,
  }
  expect(changesOfProject(given, views)).toEqual({
    ...{ merge_requests_disable_committers_approval: true, reset_approvals_on_push: false },
    selective_code_owner_removals: true,
  })
  expect(changesOfGroup(given, views)).toEqual({
    ...{ allow_committer_approval: false, retain_approvals_on_push: true, selective_code_owner_removals: true },
  })
})
