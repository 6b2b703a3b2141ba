/** `help environment`: the variables that are read. */

export const text = `
A flag beats the environment, which beats the profile, which beats the default. "supportctl profile show" says where each
setting comes from.

## Connection

SUPPORTCTL_PROFILE :: Which stored profile to use
SUPPORTCTL_BASE_URL :: What comes before /support-api/v1, for instance https://desk.example.com/wp-json
SUPPORTCTL_USERNAME :: Who signs in
SUPPORTCTL_PASSWORD :: The password, or the application password
SUPPORTCTL_TOKEN :: The token of the bearer scheme, or the value of the header scheme
SUPPORTCTL_..._FILE :: Each of these five can name a file that holds the value instead, as container secrets are mounted:
SUPPORTCTL_PASSWORD_FILE

## Folders

SUPPORTCTL_CONFIG_DIR :: Profiles; by default supportctl in XDG_CONFIG_HOME or ~/.config
SUPPORTCTL_STATE_DIR :: Journals of runs; by default supportctl in XDG_STATE_HOME or ~/.local/state

## Network

HTTPS_PROXY, HTTP_PROXY, NO_PROXY :: Proxies, in capitals or small letters

## Terminal

NO_COLOR :: Any value: no colour
FORCE_COLOR :: Any value but 0: colour, in a pipe too. NO_COLOR and --no-color beat it
TERM :: dumb: no colour, and progress as plain lines
CI :: No colour, unless it is forced
GITHUB_ACTIONS :: true: failures of runs also become annotations

## For instance

    # a job without a stored profile
    $ export SUPPORTCTL_BASE_URL=https://desk.example.com/wp-json
    $ export SUPPORTCTL_USERNAME=robot
    $ export SUPPORTCTL_PASSWORD_FILE=/run/secrets/desk
    $ supportctl ticket update 14 --status hold
`;
