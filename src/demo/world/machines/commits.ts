import { added as add, type Pushed } from '../../world-types.ts'

/** What was pushed to `main`, oldest first. */
export const pushed: readonly Pushed[] = [
  [
    '109d 8:20',
    'pavel',
    'List the machines',
    {
      'README.md': '# Machines\n\nWhat is installed on each of them. They are made by [harbour](../harbour).\n',
      'hosts.ini': '[web]\nquay-1\nquay-2\n\n[services]\nsail1\n',
    },
  ],
  [
    '109d 9:10',
    'pavel',
    'Set the time by three servers',
    {
      'roles/time.yml':
        '- package: { name: chrony, state: present }\n- copy: { src: chrony.conf, dest: /etc/chrony/chrony.conf }\n',
    },
  ],
  [
    '109d 10:45',
    'pavel',
    'Let nobody in by password',
    { 'roles/ssh.yml': '- lineinfile: { path: /etc/ssh/sshd_config, line: PasswordAuthentication no }\n' },
  ],
  [
    '108d 8:40',
    'pavel',
    'Close all ports but three',
    {
      'roles/firewall.yml':
        '- ufw: { rule: allow, port: "22" }\n- ufw: { rule: allow, port: "80" }\n- ufw: { rule: allow, port: "443" }\n',
    },
  ],
  [
    '108d 11:30',
    'pavel',
    'Count what the firewall refuses',
    { 'roles/firewall.yml': add('- ufw: { logging: low }\n') },
  ],
  [
    '102d 8:15',
    'pavel',
    'Install updates on Tuesdays',
    {
      'roles/updates.yml':
        '- cron: { name: updates, weekday: "2", hour: "4", minute: "30", job: apt-get -qy upgrade }\n',
    },
  ],
  [
    '102d 9:55',
    'pavel',
    'Start a machine again when it has to be',
    { 'roles/updates.yml': add('- reboot: { when: /var/run/reboot-required }\n') },
  ],
  [
    '97d 8:30',
    'pavel',
    'Watch disks',
    { 'roles/watch.yml': '- package: { name: prometheus-node-exporter, state: present }\n' },
  ],
  [
    '97d 10:20',
    'pavel',
    'Warn at 80 percent',
    { 'alerts.yml': '- alert: DiskFull\n  expr: disk_free_ratio < 0.2\n  for: 10m\n' },
  ],
  [
    '96d 9:05',
    'pavel',
    'Warn when a machine is silent',
    { 'alerts.yml': add('- alert: Silent\n  expr: up == 0\n  for: 3m\n') },
  ],
  [
    '92d 8:45',
    'pavel',
    'Back the services up at night',
    { 'roles/backup.yml': '- cron: { name: backup, hour: "2", minute: "10", job: /usr/local/bin/backup }\n' },
  ],
  [
    '92d 10:30',
    'pavel',
    'Keep seven days, five weeks, twelve months',
    { 'roles/backup.yml': add('# restic forget --keep-daily 7 --keep-weekly 5 --keep-monthly 12\n') },
  ],
  [
    '91d 8:20',
    'pavel',
    'Try a restore every month (#3)',
    {
      'docs/restore.md':
        '# Restore\n\n1. Take an empty machine.\n2. `restic restore latest --target /`\n3. Compare the number of sailings.\n',
    },
  ],
  [
    '82d 8:55',
    'pavel',
    'Renew certificates before they end',
    { 'roles/certificates.yml': '- cron: { name: certificates, hour: "5", minute: "12", job: certbot renew }\n' },
  ],
  [
    '82d 11:10',
    'pavel',
    'Warn two weeks before',
    { 'alerts.yml': add('- alert: CertificateEnds\n  expr: certificate_days < 14\n') },
  ],
  ['73d 9:20', 'pavel', 'Add the machine of notices', { 'hosts.ini': [['sail1\n', 'sail1\nnote1\n']] }],
  ['73d 10:40', 'pavel', 'Give it two gigabytes', { 'hosts.ini': [['note1\n', 'note1 memory=2G\n']] }],
  [
    '65d 8:10',
    'pavel',
    'Let the gateway in',
    { 'roles/firewall.yml': add('- ufw: { rule: allow, port: "8443", from: gateway }\n') },
  ],
  [
    '58d 9:35',
    'pavel',
    'Move logs to one place',
    { 'roles/logs.yml': '- template: { src: journal-upload.conf, dest: /etc/systemd/journal-upload.conf }\n' },
  ],
  [
    '58d 11:50',
    'pavel',
    'Forget them after thirty days',
    { 'roles/logs.yml': add('- lineinfile: { path: /etc/systemd/journald.conf, line: MaxRetentionSec=30day }\n') },
  ],
  ['50d 8:25', 'noor', 'Run two of sailings', { 'hosts.ini': [['sail1\n', 'sail1\nsail2\n']] }],
  [
    '50d 10:15',
    'noor',
    'Share the load between them',
    { 'roles/proxy.yml': '- template: { src: upstream.conf, dest: /etc/nginx/conf.d/upstream.conf }\n' },
  ],
  [
    '41d 8:50',
    'pavel',
    'Wait until a machine is ready',
    { 'roles/proxy.yml': add('# max_fails=3 fail_timeout=10s\n') },
  ],
  [
    '41d 10:05',
    'pavel',
    'Take one out for its update',
    {
      'docs/update.md':
        '# Update\n\n1. Take the machine out of the proxy.\n2. Wait for a minute.\n3. Update, and put it back.\n',
    },
  ],
  [
    '34d 4:40',
    'pavel',
    'Give notices time to stop (#7)',
    { 'roles/notices.yml': '- lineinfile: { path: /etc/systemd/system/notices.service, line: TimeoutStopSec=90 }\n' },
  ],
  ['26d 9:15', 'pavel', 'Add a runner for pipelines', { 'hosts.ini': add('\n[runners]\nharbour-runner-1\n') }],
  [
    '26d 11:25',
    'pavel',
    'Empty its disk on Sundays',
    {
      'roles/runner.yml':
        '- cron: { name: prune, weekday: "0", hour: "3", minute: "0", job: docker system prune -f }\n',
    },
  ],
  ['21d 8:40', 'pavel', 'Say who is called at night', { 'alerts.yml': add('# odd weeks: pavel, even weeks: noor\n') }],
  [
    '15d 9:50',
    'pavel',
    'Measure from outside',
    { 'roles/outside.yml': '- uri: { url: https://timetable.example.com/, status_code: 200 }\n' },
  ],
  [
    '15d 11:35',
    'pavel',
    'Measure from the quay of Skarv as well',
    { 'roles/outside.yml': add('# the screen at the quay asks every minute\n') },
  ],
  ['9d 8:30', 'pavel', 'Double the memory for the summer', { 'hosts.ini': [['memory=2G', 'memory=4G']] }],
  [
    '9d 10:10',
    'pavel',
    'Write down what ten times the readers mean',
    {
      'docs/summer.md':
        '# Summer\n\n| | now | summer |\n|---|--:|--:|\n| pages a second | 12 | 120 |\n| notices a day | 900 | 6000 |\n',
    },
  ],
  [
    '5d 9:25',
    'pavel',
    'Try a load of that size at night',
    { 'docs/summer.md': add('\nTried on a Wednesday at three: the proxy needs more files (`LimitNOFILE=65536`).\n') },
  ],
  ['5d 11:00', 'pavel', 'Open more files', { 'roles/proxy.yml': add('# LimitNOFILE=65536\n') }],
  [
    '1d 8:15',
    'pavel',
    'Explain how a machine is set up from nothing',
    {
      'README.md': add(
        '\n## From nothing\n\n1. Let harbour make it.\n2. Add its name to `hosts.ini`.\n3. Run all roles. It takes nine minutes.\n',
      ),
    },
  ],
]
