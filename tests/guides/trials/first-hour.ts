import { run, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/first-hour.md'

export const firstHour: readonly Trial[] = [
  {
    document,
    name: 'from an empty folder to a merged change',
    tools: ['ssh'],
    ports: ['SSH'],
    server: { FENNEC_SSH_LISTEN: '127.0.0.1:$SSH_PORT' },
    instead: {
      '127.0.0.1:2222': '127.0.0.1:$SSH_PORT',
      'git clone ssh': 'git clone --quiet ssh',
      '~/.ssh/id_ed25519.pub': '$HOME/key.pub',
    },
    steps: [
      run('Start', 2),
      run('A project, and a first push'),
      run('An issue, and a change that closes it'),
      run('People'),
      sh(
        'curl --header "PRIVATE-TOKEN: $TOKEN" "$FENNEC/api/v4/projects/root%2Fdemo/issues/1" | grep \'"state":"closed"\'',
        'ssh-keygen -q -t ed25519 -N "" -f "$HOME/key"',
        'export GIT_SSH_COMMAND="ssh -i $HOME/key -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$HOME/known"',
        'cd "$HOME" && rm -rf demo',
      ),
      run('Git over SSH'),
      sh('grep Hello demo/README.md'),
    ],
  },
]
