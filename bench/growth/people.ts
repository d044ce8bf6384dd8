import type { Rows, World } from './rows.ts'
import { first } from './size.ts'

/** Users, with what belongs to them: namespaces, addresses, keys, tokens, followers. */
export function people({ size, own, at, hex, aProject, times, made, person }: World): Rows[] {
  const { users, items } = size
  const { each } = own
  const id = `${first} + i`
  const both = { created_at: at('i'), updated_at: at('i') }
  // Rows of all users, and `each` further ones of the person.
  const count = users + each
  const whose = `case when i <= ${users} then ${first} + i else ${person} end`
  const scopes = { scopes: `'["api"]'` }
  return [
    {
      table: 'users',
      count: users,
      columns: {
        ...{
          id,
          username: `'user' || i`,
          name: `'Person ' || i || ' of the staff'`,
          email: `'user' || i || '@example.com'`,
        },
        public_email: `case when i % 5 = 0 then 'user' || i || '@example.com' end`,
        state: `case when i % 20 = 13 then 'blocked' else 'active' end`,
        ...{ is_admin: 'i % 1000 = 9', external: 'i % 50 = 3', two_factor_enabled: 'i % 7 = 0' },
        bot_kind: `case when i % 100 = 7 then 'project_bot' when i % 100 = 8 then 'service_account' end`,
        provisioned_by_group_id: `case when i % 200 = 8 and i <= ${own.users} then ${first + users + 1} end`,
        enterprise_group_id: `case when i % 4 = 2 and i <= ${own.users} then ${first + users + 1} end`,
        enterprise_group_associated_at: at('0'),
        ...{ projects_limit: '10', confirmed_at: at('i'), last_activity_on: `'2026-01-02'`, ...both },
      },
    },
    {
      table: 'identities',
      count: users,
      columns: {
        user_id: id,
        provider: `case when i % 2 = 0 then 'ldapmain' else 'saml' end`,
        extern_uid: `'uid' || i`,
      },
    },
    {
      table: 'user_emails',
      count,
      columns: { user_id: whose, email: `'other' || i || '@example.com'`, confirmed_at: at('i'), ...made },
    },
    {
      table: 'keys',
      count,
      columns: {
        ...{
          kind: `'user'`,
          user_id: whose,
          title: `'Key ' || i`,
          key: `'ssh-ed25519 AAAA' || i`,
          type: `'ssh-ed25519'`,
        },
        ...{ fingerprint_md5: hex('i', 32), fingerprint_sha256: `'SHA256:' || i`, usage_type: `'auth'`, ...made },
      },
    },
    {
      table: 'gpg_keys',
      count: each,
      columns: {
        ...{ user_id: `${person}`, key: `'-----BEGIN'`, fingerprint: hex('i', 40), key_id: hex('i', 16) },
        ...{ identities: `'[]'`, ...made },
      },
    },
    {
      table: 'access_tokens',
      count,
      columns: {
        ...{ kind: `case when i > ${users} and i % 2 = 0 then 'impersonation' else 'personal' end`, user_id: whose },
        ...{ name: `'token ' || i`, digest: hex('i', 64), ...scopes, revoked: 'i % 3 = 0' },
        ...{ expires_at: `case when i % 2 = 0 then date('2099-01-01') end`, last_used_at: at('i'), ...made },
      },
    },
    {
      table: 'user_follows',
      count: each,
      columns: { follower_id: `${person} + i`, followed_id: `${person}` },
      more: `where i < ${users}`,
    },
    {
      table: 'user_follows',
      count: each,
      columns: { follower_id: `${person}`, followed_id: `${person} + i` },
      more: `where i < ${users}`,
    },
    {
      table: 'oauth_applications',
      count: size.each,
      columns: {
        ...{
          uid: hex('i', 64),
          secret_digest: hex('i', 64),
          name: `'Application ' || i`,
          redirect_uri: `'https://example.com'`,
        },
        ...{ ...scopes, ...made },
      },
    },
    {
      table: 'todos',
      count: items,
      columns: {
        ...{
          user_id: `case when i % 2 = 0 and i <= ${own.items} then ${person} else ${person} + i % ${users} end`,
          author_id: `${person} + i % 7`,
        },
        action: `case when i % 3 = 0 then 'mentioned' else 'assigned' end`,
        ...{ state: `case when i % 4 < 2 then 'pending' else 'done' end` },
        project_id: `case when i <= ${own.items} then ${first + 1} else ${first + 1} + i % ${size.projects} end`,
        ...{ noteable_type: `'Issue'`, noteable_id: `${first} + i`, ...times },
      },
    },
    {
      table: 'events',
      count: items,
      columns: {
        project_id: aProject(own.items),
        author_id: `case when i % 4 < 2 and i <= ${own.items} then ${person} else ${person} + i % ${users} end`,
        action: `case i % 5 when 0 then 'opened' when 1 then 'closed' when 2 then 'joined' when 3 then 'pushed to' else 'commented on' end`,
        target_type: `case i % 5 when 0 then 'Issue' when 1 then 'MergeRequest' when 4 then 'Note' end`,
        target_id: `case when i % 5 in (0, 1) then ${first} + i end`,
        target_iid: `case when i % 5 in (0, 1) then i end`,
        ...{ target_title: `'Target ' || i`, ...made },
      },
    },
  ]
}
