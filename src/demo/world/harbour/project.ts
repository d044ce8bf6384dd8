import type { JobPlan, Project } from '../../world-types.ts'
import { machine, main, pipeline } from './files.ts'

const jobs: Record<string, JobPlan> = {
  format: {
    seconds: [8, 20],
    log: '# script Running the script\n$ terraform fmt -check -recursive\n+ all files are formatted',
    failure:
      '# script Running the script\n$ terraform fmt -check -recursive\n! modules/machine/main.tf\n~ 1 file is not formatted',
  },
  plan: {
    seconds: [30, 75],
    log: '# script Running the script\n$ terraform plan -out plan.bin\n~ module.quay["quay-2"].example_machine.this will be updated in-place\nPlan: 0 to add, 1 to change, 0 to destroy.',
    artifacts: { 'plan.txt': 'Plan: 0 to add, 1 to change, 0 to destroy.\n' },
  },
  apply: {
    seconds: [40, 120],
    log: '# script Running the script\n$ terraform apply plan.bin\n+ Apply complete! Resources: 0 added, 1 changed, 0 destroyed.',
  },
}

/** The machines on which everything runs. Only those who may touch them see it. */
export const harbour: Project = {
  name: 'Harbour',
  path: 'harbour',
  namespace: 'slipway/operations',
  text: 'The machines on which everything runs, as Terraform.',
  visibility: 'private',
  topics: ['terraform'],
  by: 'pavel',
  at: '118d 08:00',
  // Screens at the quay of her harbour hang on these machines.
  members: { lena: 'guest' },
  jobs,
  commits: [
    {
      by: 'pavel',
      at: '118d 08:40',
      message: 'Describe the machines',
      files: {
        'main.tf': main,
        'modules/machine/main.tf': machine,
        'README.md': '# Harbour\n\n`quay-1` and `quay-2` serve, `lighthouse` watches.\n\nNever apply on a Friday.\n',
      },
    },
    {
      by: 'pavel',
      at: '116d 09:20',
      message: 'Plan every change, apply by hand',
      files: { '.gitlab-ci.yml': pipeline },
    },
    {
      by: 'pavel',
      at: '104d 14:10',
      message: 'Give the quays a firewall',
      files: { 'firewall.tf': 'resource "example_firewall" "quay" {\n  allow = [22, 80, 443]\n}\n' },
      plays: { by: 'pavel', jobs: ['apply'] },
    },
    {
      by: 'noor',
      at: '91d 10:30',
      message: 'Open the port of the sailings service to the quays',
      files: { 'firewall.tf': [['allow = [22, 80, 443]', 'allow = [22, 80, 443, 8090]']] },
      fails: ['format'],
    },
    {
      by: 'noor',
      at: '91d 10:50',
      message: 'Format the firewall',
      files: {
        'firewall.tf': [['  allow = [22, 80, 443, 8090]', '  allow = [\n    22,\n    80,\n    443,\n    8090,\n  ]']],
      },
    },
    {
      by: 'pavel',
      at: '79d 08:30',
      message: 'Back up the volumes each night',
      files: { 'backup.tf': 'resource "example_backup" "volumes" {\n  at   = "02:30"\n  keep = 14\n}\n' },
      plays: { by: 'pavel', jobs: ['apply'] },
    },
    {
      by: 'pavel',
      at: '65d 13:00',
      message: 'Move the watch to its own network',
      files: { 'main.tf': [['  memory_gb = 2\n', '  memory_gb = 2\n  # Apart from what it watches.\n']] },
    },
    {
      by: 'pavel',
      at: '38d 10:15',
      message: 'Keep logs for a week\n\nThe disk of quay-2 was full: see the incident of sailings.',
      files: { 'logs.tf': 'resource "example_logs" "all" {\n  keep_days = 7\n}\n' },
      plays: { by: 'pavel', jobs: ['apply'] },
    },
    {
      by: 'pavel',
      at: '37d 09:00',
      message: 'Warn when a disk is four fifths full',
      files: {
        'logs.tf': [
          ['  keep_days = 7\n', '  keep_days = 7\n}\n\nresource "example_alert" "disk" {\n  at_percent = 80\n'],
        ],
      },
    },
    {
      by: 'noor',
      at: '19d 15:40',
      message: 'Start the importer once an hour',
      files: { 'importer.tf': 'resource "example_timer" "importer" {\n  every = "1h"\n}\n' },
    },
  ],
  mergeRequests: [
    {
      by: 'noor',
      at: '70d 10:00',
      title: 'Use containers on the quays',
      text: 'So that a start is the same everywhere.',
      branch: 'containers',
      reviewers: ['pavel'],
      commits: [
        {
          by: 'noor',
          at: '70d 09:30',
          message: 'Start services in containers',
          files: {
            'containers.tf':
              'resource "example_container" "sailings" {\n  image = "registry.example.com/slipway/services/sailings:latest"\n}\n',
          },
        },
      ],
      approved: [{ by: 'pavel', at: '69d 10:00' }],
      merged: { by: 'pavel', at: '69d 10:10', plays: { by: 'pavel', jobs: ['apply'] } },
    },
    {
      by: 'pavel',
      at: '16d 10:00',
      title: 'Twice the memory for the summer',
      text: 'Ten times the readers, twice the memory: pages are small. For #3.',
      branch: 'summer-memory',
      reviewers: ['noor'],
      commits: [
        {
          by: 'pavel',
          at: '16d 09:40',
          message: 'Give the quays 8 GB',
          files: { 'main.tf': [['  memory_gb = 4\n', '  memory_gb = 8\n']] },
        },
      ],
      threads: [
        {
          by: 'noor',
          text: 'From which day on? It costs from the first hour.',
          on: { file: 'main.tf', line: 'memory_gb = 8' },
          replies: [{ by: 'pavel', text: 'From the first day of the season. I leave it open until then.' }],
        },
      ],
      approved: [{ by: 'noor', at: '15d 14:00' }],
    },
  ],
  issues: [
    {
      by: 'pavel',
      at: '103d 09:00',
      title: 'Who may sign in to the quays?',
      text: 'At the moment everybody with the old key.\n\n- [x] Noor\n- [x] Pavel\n- [ ] Nobody else',
      labels: ['type::chore', 'priority::now'],
      assignees: ['pavel'],
      comments: [{ by: 'mara', text: 'Take mine away, please. I do not want to be able to.' }],
      closed: { by: 'pavel', at: '96d 16:00' },
    },
    {
      by: 'noor',
      at: '78d 11:30',
      title: 'Try a restore',
      text: 'A backup that nobody has restored is a hope.',
      labels: ['type::chore', 'priority::soon'],
      assignees: ['pavel'],
      due: '{day-10}',
      estimate: '1d',
      spent: [['pavel', '5h', 'Restored lighthouse, 40 minutes']],
      comments: [{ by: 'pavel', text: 'Lighthouse was back after 40 minutes. The quays are next.' }],
    },
    {
      by: 'mara',
      at: '48d 10:00',
      title: 'Are we ready for the summer?',
      text: 'Last August we had 240 requests a second.',
      labels: ['type::chore'],
      milestone: 'Summer season',
      assignees: ['pavel'],
      weight: 3,
      comments: [{ by: 'pavel', text: 'Pages are kept for ten seconds now. I measured 900 on one quay.' }],
    },
    {
      by: 'pavel',
      at: '26d 7:40',
      title: 'Debian 13 on lighthouse',
      text: 'The quays have it already.',
      labels: ['type::chore', 'good first issue'],
      weight: 1,
    },
  ],
  acts: [
    {
      by: 'pavel',
      at: '116d 09:00',
      to: 'variables',
      body: {
        key: 'CLOUD_TOKEN',
        value: 'not-a-real-token-3f9c',
        masked: true,
        protected: true,
        description: 'Changes machines',
      },
    },
    {
      by: 'pavel',
      at: '116d 10:00',
      to: 'deploy_keys',
      body: {
        title: 'lighthouse',
        key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqLZ3m9yNq0iB0v1Qh8wYw1Jx3kD0n3oF9m9x3cV7aB lighthouse',
        can_push: false,
      },
    },
    {
      by: 'pavel',
      at: '80d 10:00',
      to: 'wikis',
      body: {
        title: 'home',
        content:
          '# When everything is down\n\n1. Breathe.\n2. Look at the disk.\n3. Look at the certificate.\n4. Call Noor.\n',
      },
    },
  ],
}
