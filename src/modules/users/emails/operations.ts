import { instance, nothing, pageOf, readingUsers, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { addEmail, getEmail, getEmailOf, listEmails, removeEmail, subjectOf, UserEmail } from './emails.ts'

const userId = { id: t.id({ otherwise: 'route' }) }
const emailId = { email_id: t.id({ otherwise: 'route' }) }
const newEmail = { email: t.required(t.string()) }

const own = { tag: 'Users', subject: instance, allow: 'authenticated' } as const
const ofUser = { tag: 'Users', subject: instance, allow: 'administrator' } as const

export const userEmailsList = operation({
  ...own,
  id: 'user_emails.list',
  contract: 'x.user_emails_list',
  method: 'GET',
  path: '/user/emails',
  summary: 'List your secondary e-mail addresses',
  scopes: readingUsers,
  result: [200, pageOf(UserEmail)],
  run: ({ platform, actor, page }) => listEmails(platform, subjectOf(actor), page),
})

export const userEmailsGet = operation({
  ...own,
  id: 'user_emails.get',
  contract: 'x.user_emails_get',
  method: 'GET',
  path: '/user/emails/:email_id',
  summary: 'Get one of your secondary e-mail addresses',
  scopes: readingUsers,
  params: emailId,
  result: [200, UserEmail],
  run: ({ platform, actor, params }) => getEmail(platform, subjectOf(actor), params.email_id),
})

export const userEmailsCreate = operation({
  ...own,
  id: 'user_emails.create',
  contract: 'x.user_emails_create',
  method: 'POST',
  path: '/user/emails',
  summary: 'Add a secondary e-mail address',
  scopes: writing,
  params: newEmail,
  result: [201, UserEmail],
  run: ({ platform, actor, params }) => addEmail(platform, subjectOf(actor), params),
})

export const userEmailsDelete = operation({
  ...own,
  id: 'user_emails.delete',
  contract: 'x.user_emails_delete',
  method: 'DELETE',
  path: '/user/emails/:email_id',
  summary: 'Remove one of your secondary e-mail addresses',
  scopes: writing,
  params: emailId,
  result: [204, nothing],
  run: ({ platform, actor, params, unmodified }) =>
    removeEmail(platform, subjectOf(actor), params.email_id, { unmodified }),
})

export const usersEmailsList = operation({
  ...ofUser,
  id: 'users_emails.list',
  contract: 'x.users_emails_list',
  method: 'GET',
  path: '/users/:id/emails',
  summary: 'List the secondary e-mail addresses of a user',
  scopes: readingUsers,
  params: userId,
  result: [200, pageOf(UserEmail)],
  run: ({ platform, params, page }) => listEmails(platform, params.id, page),
})

export const usersEmailsGet = operation({
  ...ofUser,
  id: 'users_emails.get',
  contract: 'x.users_emails_get',
  method: 'GET',
  path: '/users/:id/emails/:email_id',
  summary: 'Get a secondary e-mail address of a user',
  scopes: readingUsers,
  params: { ...userId, ...emailId },
  result: [200, UserEmail],
  run: ({ platform, params }) => getEmailOf(platform, params.id, params.email_id),
})

export const usersEmailsCreate = operation({
  ...ofUser,
  id: 'users_emails.create',
  contract: 'x.users_emails_create',
  method: 'POST',
  path: '/users/:id/emails',
  summary: 'Add a secondary e-mail address of a user',
  scopes: writing,
  params: {
    ...userId,
    ...newEmail,
    skip_confirmation: t.boolean({ description: 'Whether the address counts as confirmed.' }),
  },
  result: [201, UserEmail],
  run: ({ platform, params: { id, ...wanted }, actor }) => addEmail(platform, id, wanted, actor),
})

export const usersEmailsDelete = operation({
  ...ofUser,
  id: 'users_emails.delete',
  contract: 'x.users_emails_delete',
  method: 'DELETE',
  path: '/users/:id/emails/:email_id',
  summary: 'Remove a secondary e-mail address of a user',
  scopes: writing,
  params: { ...userId, ...emailId },
  result: [204, nothing],
  run: ({ platform, params, unmodified, actor }) =>
    removeEmail(platform, params.id, params.email_id, { unmodified, administrator: actor }),
})
