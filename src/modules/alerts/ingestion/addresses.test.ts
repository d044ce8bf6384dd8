import { expect, test } from 'vitest'
import { addressesOf } from './addresses.ts'

const address = (projectPath: string, identifier: string | null, monitoringOnly = false) => ({
  projectPath,
  identifier,
  monitoringOnly,
})

test.each([
  ['/g/p/alerts/notify/slug/0123.json', [address('g/p', '0123')]],
  ['/g/h/p/alerts/notify/any/0123', [address('g/h/p', '0123')]],
  ['/g/p/alerts/notify.json', [address('g/p', null)]],
  ['/g/p/alerts/notify', [address('g/p', null)]],
  ['/g/p/prometheus/alerts/notify.json', [address('g/p', null, true), address('g/p/prometheus', null)]],
  ['/g/alerts/alerts/notify/', [address('g/alerts', null)]],
  ['/g/p/alerts/notify/alerts/notify.json', [address('g/p/alerts/notify', null), address('g/p', 'notify')]],
  ['/g/p/alerts/notify/slug', []],
  ['/g/p/alerts/notify/a/b/c', []],
  ['/alerts/notify.json', []],
  ['/g/p/alerts/notifyx', []],
])('%s', (path, expected) => {
  expect(addressesOf(path)).toEqual(expected)
})
