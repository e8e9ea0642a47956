#include "engine/open_chat.h"
